/** The end of what was written, in the same memory however much it was. */
export class StderrTail {
  readonly #limit: number
  #ring: Buffer | undefined
  #written = 0

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    const ring = (this.#ring ??= Buffer.alloc(this.#limit))
    const last = chunk.subarray(-this.#limit)
    const at = (this.#written + chunk.length - last.length) % this.#limit
    const fits = last.copy(ring, at)
    last.copy(ring, 0, fits)
    this.#written += chunk.length
  }

  get text(): string {
    if (this.#ring === undefined) return ''
    if (this.#written <= this.#limit) return this.#ring.toString('utf8', 0, this.#written)
    const at = this.#written % this.#limit
    const bytes = Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)])
    // The first character may have lost its beginning.
    let start = 0
    while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start++
    return bytes.toString('utf8', start)
  }
}
