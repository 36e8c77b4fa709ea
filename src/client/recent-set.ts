/** Texts are forgotten sooner when so many characters of them are known. */
const MOST_CHARACTERS = 8 * 1024 * 1024

/**
 * The texts that were added last, of which it knows all of the last `size` and at most twice as many: two generations, of
 * which the older is let go when the newer is full.
 */
export class RecentSet {
  readonly #size: number
  #newer = new Set<string>()
  #older = new Set<string>()
  #characters = 0

  constructor(size: number) {
    this.#size = size
  }

  /** False if it was there. */
  add(text: string): boolean {
    if (this.#newer.has(text)) return false
    const known = this.#older.has(text)
    this.#newer.add(text)
    this.#characters += text.length
    if (this.#newer.size >= this.#size || this.#characters >= MOST_CHARACTERS) {
      this.#older = this.#newer
      this.#newer = new Set()
      this.#characters = 0
    }
    return !known
  }
}
