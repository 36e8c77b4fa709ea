/** How many pieces are joined into one: each takes a hundred bytes beside its own, however small it is. */
const MANY = 1024

/** Bytes that come in pieces of any size, kept in little more room than they have. */
export class Gathered {
  #size = 0
  #pieces: Uint8Array[] = []
  /** What was joined, which goes before the pieces. */
  #joined: Buffer[] = []

  get size(): number {
    return this.#size
  }

  add(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return
    this.#size += bytes.byteLength
    if (this.#pieces.push(bytes) < MANY) return
    this.#joined.push(Buffer.concat(this.#pieces))
    this.#pieces = []
  }

  /** All of it, in one; nothing is kept. */
  take(): Buffer {
    const all = [...this.#joined, ...this.#pieces]
    this.clear()
    const [first] = all
    return all.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(all)
  }

  clear(): void {
    this.#size = 0
    this.#pieces = []
    this.#joined = []
  }
}
