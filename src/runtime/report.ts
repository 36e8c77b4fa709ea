import { ShelfError } from '../errors.ts'
import { writeStderr } from './stderr.ts'

/** Writes what the wire does not carry to standard error: what was being done, and the error with its stack. */
export function reportToStderr(error: unknown, about: { readonly method: string; readonly uri?: string }): void {
  const cause = error instanceof ShelfError && error.cause !== undefined ? error.cause : error
  const what = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  writeStderr(`shelfmark: ${about.method}${about.uri === undefined ? '' : ` ${JSON.stringify(about.uri)}`} failed: ${what}\n`)
}

/** Writes a hint for the author of a server to standard error. */
export function adviseOnStderr(advice: readonly string[]): void {
  for (const line of advice) writeStderr(`shelfmark: ${line}\n`)
}
