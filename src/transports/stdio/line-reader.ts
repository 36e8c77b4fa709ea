const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * Cuts a stream of bytes into lines, in time linear in the bytes: a chunk is searched once and joined once.
 * A line that is too long is dropped and reported, and the next one is read as usual.
 */
export class LineReader {
  readonly #limit: number
  readonly #onLine: (line: Buffer) => void
  readonly #onTooLong: (size: number) => void
  #held: Buffer[] = []
  #size = 0

  constructor(limit: number, onLine: (line: Buffer) => void, onTooLong: (size: number) => void) {
    this.#limit = limit
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      if (end < 0) break
      this.#hold(chunk.subarray(start, end))
      this.#emit()
      start = end + 1
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start))
  }

  /** What is left at the end of the stream counts as a line. */
  end(): void {
    if (this.#size > 0) this.#emit()
  }

  #hold(bytes: Buffer): void {
    this.#size += bytes.length
    if (this.#size > this.#limit) this.#held = []
    else if (bytes.length > 0) this.#held.push(bytes)
  }

  #emit(): void {
    const size = this.#size
    const held = this.#held
    this.#size = 0
    this.#held = []
    if (size > this.#limit) {
      this.#onTooLong(size)
      return
    }
    let line = held.length === 1 ? held[0]! : Buffer.concat(held)
    if (line.at(-1) === RETURN) line = line.subarray(0, -1)
    if (line.length > 0) this.#onLine(line)
  }
}
