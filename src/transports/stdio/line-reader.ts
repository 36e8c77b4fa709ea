import { Gathered } from '../../runtime/index.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d

/** What is kept of a line that is too long, at each end. */
const ENDS = 512

/** What is left of a line that is too long. */
export interface DroppedLine {
  readonly head: string
  /** Undefined while it goes on. */
  readonly tail: string | undefined
}

/**
 * Cuts a stream of bytes into lines, in time linear in the bytes: a chunk is searched once and joined at most twice.
 * A line that is too long is dropped and reported, and the next one is read as usual.
 */
export class LineReader {
  readonly #limit: number
  readonly #onLine: (line: Buffer) => void
  readonly #onTooLong: (size: number, line: DroppedLine) => void
  readonly #onOverflow: ((size: number, line: DroppedLine) => void) | undefined
  readonly #held = new Gathered()
  #size = 0
  #head = ''
  #tail: Buffer = Buffer.alloc(0)

  /**
   * @param onTooLong a line that was too long has come to its end
   * @param onOverflow a line has become too long, and may never end
   */
  constructor(
    limit: number,
    onLine: (line: Buffer) => void,
    onTooLong: (size: number, line: DroppedLine) => void,
    onOverflow?: (size: number, line: DroppedLine) => void,
  ) {
    this.#limit = limit
    this.#onLine = onLine
    this.#onTooLong = onTooLong
    this.#onOverflow = onOverflow
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
    const before = this.#size
    this.#size += bytes.length
    if (this.#size > this.#limit) {
      if (before <= this.#limit) this.#overflow(bytes)
      else this.#tail = lastOf([this.#tail, bytes])
    } else this.#held.add(bytes)
  }

  #overflow(bytes: Buffer): void {
    const held = this.#held.take()
    this.#head = Buffer.concat([held.subarray(0, ENDS), bytes.subarray(0, ENDS)]).toString('latin1', 0, ENDS)
    this.#tail = lastOf([held, bytes])
    this.#onOverflow?.(this.#size, { head: this.#head, tail: undefined })
  }

  #emit(): void {
    const size = this.#size
    this.#size = 0
    if (size > this.#limit) {
      this.#onTooLong(size, { head: this.#head, tail: this.#tail.toString('latin1') })
      this.#tail = Buffer.alloc(0)
      return
    }
    let line = this.#held.take()
    if (line.at(-1) === RETURN) line = line.subarray(0, -1)
    if (line.length > 0) this.#onLine(line)
  }
}

/** A copy of the last bytes, so that the rest can go. */
function lastOf(chunks: readonly Buffer[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => chunk.subarray(-ENDS))).subarray(-ENDS)
}
