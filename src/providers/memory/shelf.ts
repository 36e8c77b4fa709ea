import type { HeldItem } from './held-item.ts'

/**
 * Items by key and in the order of their places. A page costs the search for its first item and its own length,
 * whatever the number of items: a removed item leaves a gap, and gaps are closed when they are as many as the items.
 */
export class Shelf {
  readonly #byKey = new Map<string, HeldItem>()
  #order: (HeldItem | undefined)[] = []
  /** The place of each member of `#order`, also of gaps: always rising. */
  #places: number[] = []
  #next = 1

  get(key: string): HeldItem | undefined {
    return this.#byKey.get(key)
  }

  /** The place that the next new item takes. */
  get nextPlace(): number {
    return this.#next
  }

  append(key: string, item: HeldItem): void {
    this.#next = item.place + 1
    this.#byKey.set(key, item)
    this.#order.push(item)
    this.#places.push(item.place)
  }

  /** Puts an item in the place of the one it follows. */
  replace(key: string, item: HeldItem): void {
    this.#byKey.set(key, item)
    this.#order[this.#find(item.place)] = item
  }

  remove(key: string): HeldItem | undefined {
    const item = this.#byKey.get(key)
    if (item === undefined) return undefined
    this.#byKey.delete(key)
    this.#order[this.#find(item.place)] = undefined
    if (this.#order.length > 2 * this.#byKey.size + 16) {
      this.#order = this.#order.filter((kept) => kept !== undefined)
      this.#places = this.#order.map((kept) => kept?.place ?? 0)
    }
    return item
  }

  /** At most `limit` items whose place is after `place`. */
  after(place: number, limit: number): readonly HeldItem[] {
    const items: HeldItem[] = []
    for (let i = this.#find(place + 1); i < this.#order.length && items.length < limit; i++) {
      const item = this.#order[i]
      if (item !== undefined) items.push(item)
    }
    return items
  }

  /** The first index whose place is `place` or later. */
  #find(place: number): number {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#places[middle] ?? 0) < place) low = middle + 1
      else high = middle
    }
    return low
  }
}
