/** A line on standard error that tells how far long work is; nothing where no person looks at it. */
export class Progress {
  readonly #shown: boolean
  #last = -Infinity
  #written = false

  /** @param shown Default: where the output itself does not show it */
  constructor(shown = process.stderr.isTTY && !process.stdout.isTTY) {
    this.#shown = shown
  }

  /** At most four times a second. */
  tell(text: string): void {
    if (!this.#shown) return
    const now = performance.now()
    if (now - this.#last < 250) return
    this.#last = now
    this.#written = true
    process.stderr.write(`\r\u001B[K${text}`)
  }

  end(): void {
    if (this.#written) process.stderr.write('\r\u001B[K')
  }
}
