/** Twice as many bits as this hold so many terms with few of them taken for another: 1 MiB. */
const BITS = 2 ** 23

/**
 * Which terms an index may hold, so that no server fills the memory with words that nobody else has. It is frozen when there
 * are too many: those it has stay welcome, and what was let in once is told from what was not for ever, as taking a document
 * out again needs. Terms are told apart by their hash alone, so that it costs the same whatever it holds.
 */
export class Vocabulary {
  readonly #seen = new Uint32Array(BITS / 32)
  readonly #most: number
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#size >= this.#most
  }

  /** Takes a term in while there is room; whether it is in. */
  admits(term: string): boolean {
    const bit = hash(term) % BITS
    const word = bit >>> 5
    const mask = 1 << (bit & 31)
    const before = this.#seen[word] ?? 0
    if ((before & mask) !== 0) return true
    if (this.isFull) return false
    this.#seen[word] = before | mask
    this.#size++
    return true
  }
}

/** FNV-1a, with its bits mixed at the end. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (value ^ (value >>> 13)) >>> 0
}
