import type { Page } from './provider.ts'

interface Entry<T> {
  readonly seq: number
  readonly item: T
  gone: boolean
}

/**
 * Items in the order they were registered, each under a number that only grows. The number is the
 * position in a list, so a page costs the same wherever it begins and survives changes before it. What is
 * removed leaves a gap, and gaps are closed when they are as many as the items.
 */
export class Register<T> {
  #entries: Entry<T>[] = []
  #next = 1
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds at the end and returns the number to remove it by. */
  add(item: T): number {
    const seq = this.#next++
    this.#entries.push({ seq, item, gone: false })
    this.#size++
    return seq
  }

  remove(seq: number): void {
    const entry = this.#entries[this.#after(seq - 1)]
    if (entry === undefined || entry.seq !== seq || entry.gone) return
    entry.gone = true
    this.#size--
    if (this.#entries.length > 2 * this.#size + 16) this.#entries = this.#entries.filter((kept) => !kept.gone)
  }

  /** The items after a position (0 is the beginning). */
  page(after: number, limit: number): Page<T> {
    const items: T[] = []
    let last: number | undefined
    for (let index = this.#after(after); index < this.#entries.length; index++) {
      const entry = this.#entries[index]!
      if (entry.gone) continue
      if (items.length === limit) return last === undefined ? { items } : { items, next: last }
      items.push(entry.item)
      last = entry.seq
    }
    return { items }
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { item, gone } of this.#entries) if (!gone) yield item
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
