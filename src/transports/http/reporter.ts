import { heedless } from '../../library/index.ts'
import { reportToStderr } from '../../runtime/index.ts'
import type { EndpointOptions } from './options.ts'

/** Tells of an error, and what was being done. */
export type Reporter = (error: unknown, method: string) => void

/** `onError` of the options, or else standard error. It never throws. */
export function reporterOf({ onError = reportToStderr }: Pick<EndpointOptions, 'onError'>): Reporter {
  return (error, method) => heedless(() => onError(error, { method }))
}
