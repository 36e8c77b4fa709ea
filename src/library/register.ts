import { ShelfError } from '../errors.ts'
import type { Page, PageRequest } from './provider.ts'

/** What can be kept in order. The number lies in the item itself: an entry of its own costs 48 bytes. */
export interface Registered {
  /** Given by the Register. */
  seq: number
}

/** Where an item was. */
class Gap {
  readonly seq: number

  constructor(seq: number) {
    this.seq = seq
  }
}

/**
 * Items in the order they were registered, each under a number that only grows. The number is the
 * position in a list, so a page costs the same wherever it begins and survives changes before it. What is
 * removed leaves a gap, and gaps are closed when they are as many as the items.
 */
export class Register<T extends Registered> {
  #entries: (T | Gap)[] = []
  #next = 1
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds at the end, and gives the item its number. */
  add(item: T): void {
    item.seq = this.#next++
    this.#entries.push(item)
    this.#size++
  }

  /** Puts an item in the place of another, under its number. */
  replace(old: T, item: T): void {
    const index = this.#indexOf(old)
    if (index === undefined) return
    item.seq = old.seq
    this.#entries[index] = item
  }

  remove(item: T): void {
    const index = this.#indexOf(item)
    if (index === undefined) return
    this.#entries[index] = new Gap(item.seq)
    this.#size--
    if (this.#entries.length > 2 * this.#size + 16) this.#entries = this.#entries.filter((entry) => !(entry instanceof Gap))
  }

  /** @throws ShelfError `invalid-cursor` for a position that is no number */
  page({ after = 0, limit }: PageRequest): Page<T> {
    if (typeof after !== 'number') throw new ShelfError('invalid-cursor', 'Not a position in this list', {})
    const items: T[] = []
    for (let index = this.#after(after); index < this.#entries.length; index++) {
      const entry = this.#entries[index]!
      if (entry instanceof Gap) continue
      if (items.length === limit) return { items, next: items.at(-1)!.seq }
      items.push(entry)
    }
    return { items }
  }

  #indexOf(item: T): number | undefined {
    const index = this.#after(item.seq - 1)
    return this.#entries[index] === item ? index : undefined
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
