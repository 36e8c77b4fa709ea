import { ShelfError } from '../../errors.ts'
import { UsageError } from '../output.ts'
import type { SettingPath } from './settings.ts'
import { UnfitSettings } from './settings.ts'

/** Where the options of `serveHttp` are set. */
const HTTP_PATHS: { readonly [option: string]: SettingPath } = {
  host: ['http', 'listen'],
  tls: ['http', 'tls'],
  allowedHosts: ['http', 'allowedHosts'],
  allowedOrigins: ['http', 'allowedOrigins'],
  sessionIdleMs: ['http', 'sessionIdle'],
  keepAliveMs: ['http', 'keepAlive'],
  stallMs: ['http', 'stall'],
  drainMs: ['http', 'drain'],
}

/** What is said of an option of `serveHttp`, as said of a setting. */
export function unfitForHttp(error: unknown): unknown {
  if (error instanceof UsageError) return new UnfitSettings([{ path: ['http', 'tls'], error }])
  const path = ShelfError.is(error, 'invalid-option') ? HTTP_PATHS[error.details.option] : undefined
  return path === undefined ? error : new UnfitSettings([{ path, error }])
}
