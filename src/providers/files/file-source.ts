import { closeSync } from 'node:fs'
import { ShelfError } from '../../errors.ts'
import type { ByteRange, ByteSource } from '../../library/index.ts'
import { fileFailure } from './failures.ts'
import { readPart } from './body.ts'

/** Divisible by three, so that each piece is base64 by itself. */
const PIECE = 192 * 1024

/**
 * The bytes of an open file, read while they are sent. It owns the descriptor: disposing it closes, after a read under
 * way has ended (a descriptor closed during a read may by then be another file's).
 */
export class FileSource implements ByteSource, AsyncDisposable {
  readonly size: number
  readonly #fd: number
  readonly #start: number
  readonly #provider: string
  #closed = false
  #reading: Promise<unknown> = Promise.resolve()

  /** `size` bytes from `start` of the file that `fd` has open. */
  constructor(fd: number, start: number, size: number, provider: string) {
    this.#fd = fd
    this.#start = start
    this.size = size
    this.#provider = provider
  }

  async *open(range: ByteRange = { offset: 0 }): AsyncGenerator<Uint8Array> {
    const from = Math.min(range.offset, this.size)
    const end = Math.min(this.size, from + (range.length ?? this.size))
    for (let at = from; at < end;) {
      const piece = await this.#read(at, Math.min(PIECE, end - at))
      at += piece.length
      yield piece
    }
  }

  async #read(at: number, length: number): Promise<Uint8Array> {
    if (this.#closed) throw new ShelfError('cancelled', 'The reading was disposed before its last byte', {})
    const reading = readPart(this.#fd, this.#start + at, length)
    this.#reading = Promise.allSettled([this.#reading, reading])
    let piece
    try {
      piece = await reading
    } catch (error) {
      throw fileFailure(error, this.#provider)
    }
    if (piece.length === length) return piece
    throw new ShelfError('unavailable', 'The file became shorter while it was sent', { provider: this.#provider })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#reading
    closeSync(this.#fd)
  }
}
