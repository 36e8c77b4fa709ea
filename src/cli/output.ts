import { ShelfError } from '../errors.ts'
import { printable } from '../runtime/index.ts'

/** The command was called in a way it does not have: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The command whose help tells more. Default: the help of all. */
  command?: string
}

/** Writes what was asked for to standard output. Who stops reading it has seen enough; a disk that is full is a failure. */
export function print(text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail(error)
  })
  process.stdout.write(text)
}

/** One line on standard error, and the exit code: 2 for wrong usage, 1 for an operation that failed. */
export function fail(error: unknown): void {
  const hint =
    error instanceof UsageError ? ` (see shelfmark ${error.command === undefined ? '' : `${error.command} `}--help)` : ''
  say(`${messageOf(error)}${hint}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

/** What crosses the wire for "not found" names nothing; a person asked for something. */
function messageOf(error: unknown): string {
  if (ShelfError.is(error, 'not-found') && error.details.uri !== '') return `Not found: ${error.details.uri}`
  return error instanceof Error ? error.message : String(error)
}

/** One line on standard error that a person may want to know; another program's words stand indented below it. */
export function say(message: string): void {
  process.stderr.write(`shelfmark: ${message.split('\n  ').map(printable).join('\n  ')}\n`)
}

/** The same, for what is odd and nothing failed of. */
export function note(message: string): void {
  say(`note: ${message}`)
}
