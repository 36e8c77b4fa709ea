/** Characters that may wait for whoever reads standard error. More is left out: what nobody reads must not become memory. */
const MOST_WAITING = 64 * 1024

let outlived = false

/** Lets this process go on when whoever read standard error is gone, which else ends it as an error that nobody handles. */
export function outliveStderr(): void {
  if (outlived) return
  outlived = true
  process.stderr.on('error', () => undefined)
}

/** Writes a message for a person, unless nobody reads them. */
export function writeStderr(text: string): void {
  outliveStderr()
  if (process.stderr.writableLength > MOST_WAITING) return
  process.stderr.write(text)
}
