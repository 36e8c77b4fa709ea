import { reportToStderr } from '../../runtime/index.ts'
import type { EndpointOptions } from './options.ts'

/** Tells of an error, and what was being done. */
export type Reporter = (error: unknown, method: string) => void

/** `onError` of the options, or else standard error. It never throws. */
export function reporterOf({ onError = reportToStderr }: Pick<EndpointOptions, 'onError'>): Reporter {
  return (error, method) => {
    try {
      onError(error, { method })
    } catch {
      // Whoever is told of errors has nobody to tell of its own.
    }
  }
}
