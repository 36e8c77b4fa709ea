/** The command was called in a way it does not have: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** One line on standard error, and the exit code: 2 for wrong usage, 1 for an operation that failed. */
export function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  const hint = error instanceof UsageError ? ' (see shelfmark --help)' : ''
  process.stderr.write(`shelfmark: ${printable(message)}${hint}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

/** Text for a terminal: control characters and bidirectional marks become visible escapes, lines become one. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- naming them is the point
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
