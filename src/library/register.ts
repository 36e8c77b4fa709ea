import type { Page } from './provider.ts'

/** What can be kept in order. The number lies in the item itself: an entry of its own costs 48 bytes. */
export interface Registered {
  /** Given by the Register. */
  seq: number
}

/**
 * Items in the order they were registered, each under a number that only grows. The number is the
 * position in a list, so a page costs the same wherever it begins and survives changes before it.
 */
export class Register<T extends Registered> {
  readonly #items: T[] = []
  #next = 1

  get size(): number {
    return this.#items.length
  }

  /** Adds at the end, and gives the item its number. */
  add(item: T): void {
    item.seq = this.#next++
    this.#items.push(item)
  }

  remove(item: T): void {
    const index = this.#after(item.seq - 1)
    if (this.#items[index] === item) this.#items.splice(index, 1)
  }

  /** The items after a position (0 is the beginning). */
  page(after: number, limit: number): Page<T> {
    const start = this.#after(after)
    const items = this.#items.slice(start, start + limit)
    const last = items.at(-1)
    return last !== undefined && start + limit < this.#items.length ? { items, next: last.seq } : { items }
  }

  #after(seq: number): number {
    let low = 0
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#items[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }
}
