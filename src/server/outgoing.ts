import { ShelfError } from '../errors.ts'
import type { ByteRange, ByteSource, Piece } from '../library/index.ts'
import type { Clock } from '../protocol/index.ts'
import type { Frame } from './frame.ts'

/** How long bytes that were asked for may still take once nobody wants them, in milliseconds. */
const LAST_BYTES_MS = 50

/**
 * An answer with bytes on its way out, whose request may be cancelled. One that has not begun to leave gives nothing any
 * more. One that has begun goes on as long as its bytes come without delay: on a channel that all answers share, half a
 * message is worse than a whole one that nobody wants.
 */
export class Outgoing {
  /** Whoever takes the bytes of one of its pieces begins to send it. */
  readonly frame: Frame
  readonly #clock: Clock
  /** Of each piece, as far as it has bytes. Let go of once they are certain not to leave: the frame may lie in a queue for long. */
  #bytes: readonly (Uint8Array | ByteSource | undefined)[]
  #begun = false
  #cancelled = false
  /** Begins the time of bytes that somebody waits for. */
  #hurry: (() => void) | undefined

  constructor(pieces: readonly Piece[], clock: Clock) {
    this.#clock = clock
    this.#bytes = pieces.map((piece) => (typeof piece === 'string' ? undefined : this.#stoppable(piece.bytes)))
    this.frame = pieces.map((piece, index) => (typeof piece === 'string' ? piece : this.#pieceAt(index)))
  }

  get begun(): boolean {
    return this.#begun
  }

  cancel(): void {
    this.#cancelled = true
    if (!this.#begun) this.#bytes = []
    this.#hurry?.()
  }

  #pieceAt(index: number): Piece {
    const begin = (): Uint8Array | ByteSource => {
      const bytes = this.#bytes[index]
      if (bytes === undefined) throw cancelled()
      this.#begun = true
      return bytes
    }
    return {
      get bytes() {
        return begin()
      },
    }
  }

  #stoppable(bytes: Uint8Array | ByteSource): Uint8Array | ByteSource {
    return 'byteLength' in bytes ? bytes : { size: bytes.size, open: (range?: ByteRange) => this.#give(bytes.open(range)) }
  }

  async *#give(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = source[Symbol.asyncIterator]()
    let waiting = false
    try {
      for (;;) {
        waiting = true
        const next = await this.#inTime(iterator.next())
        waiting = false
        if (next.done === true) return
        yield next.value
      }
    } finally {
      const left = iterator.return?.()
      if (waiting) left?.catch(() => undefined)
      else await left
    }
  }

  #inTime<T>(asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let callOff: (() => void) | undefined
      this.#hurry = () => {
        callOff ??= this.#clock.after(LAST_BYTES_MS, () => reject(cancelled()))
      }
      if (this.#cancelled) this.#hurry()
      void asked.then(resolve, reject).finally(() => {
        this.#hurry = undefined
        callOff?.()
      })
    })
  }
}

function cancelled(): ShelfError {
  return new ShelfError('cancelled', 'The request was cancelled before its answer had left', {})
}
