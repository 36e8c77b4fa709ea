import type { Page } from './provider.ts'

/**
 * Items in the order they were registered, each under a number that only grows. The number is the
 * position in a list, so a page costs the same wherever it begins and survives changes before it.
 */
export class Register<T> {
  #entries: { readonly seq: number; readonly item: T }[] = []
  #next = 1

  get size(): number {
    return this.#entries.length
  }

  /** Adds at the end and returns the number to remove it by. */
  add(item: T): number {
    const seq = this.#next++
    this.#entries.push({ seq, item })
    return seq
  }

  remove(seq: number): void {
    const index = this.#after(seq - 1)
    if (this.#entries[index]?.seq === seq) this.#entries.splice(index, 1)
  }

  /** The items after a position (0 is the beginning). */
  page(after: number, limit: number): Page<T> {
    const start = this.#after(after)
    const slice = this.#entries.slice(start, start + limit)
    const items = slice.map((entry) => entry.item)
    const last = slice.at(-1)
    return last !== undefined && start + limit < this.#entries.length ? { items, next: last.seq } : { items }
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#entries.map((entry) => entry.item)[Symbol.iterator]()
  }

  #after(seq: number): number {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#entries[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }
}
