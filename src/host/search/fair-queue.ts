/** Who stands first in a line has this place; what was taken before is let go of now and then. */
interface Line {
  items: string[]
  first: number
  /** Those of the items that still wait. */
  readonly waiting: Set<string>
}

/** What waits, by whom it is of: each has its turn, so that one with much does not keep the others from theirs. */
export class FairQueue {
  readonly #lines = new Map<string, Line>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** All that waits, in no order. */
  *items(): Generator<string> {
    for (const { waiting } of this.#lines.values()) yield* waiting
  }

  /** What waits already keeps its place. */
  add(party: string, item: string): void {
    const line = this.#lines.get(party) ?? { items: [], first: 0, waiting: new Set() }
    if (line.waiting.has(item)) return
    line.waiting.add(item)
    line.items.push(item)
    this.#lines.set(party, line)
    this.#size++
  }

  delete(party: string, item: string): void {
    const line = this.#lines.get(party)
    if (line?.waiting.delete(item) !== true) return
    this.#size--
    if (line.waiting.size === 0) this.#lines.delete(party)
  }

  /** The next of whoever's turn it is; the others of its line wait until the other lines had theirs. */
  take(): string | undefined {
    for (const [party, line] of this.#lines) {
      const item = nextOf(line)
      this.delete(party, item)
      if (this.#lines.delete(party)) this.#lines.set(party, line)
      return item
    }
    return undefined
  }

  clear(): void {
    this.#lines.clear()
    this.#size = 0
  }
}

/** The first that still waits: in a line there is one. */
function nextOf(line: Line): string {
  for (;;) {
    const item = line.items[line.first++] ?? ''
    if (line.first > 1_000 && line.first * 2 > line.items.length) {
      line.items = line.items.slice(line.first)
      line.first = 0
    }
    if (line.waiting.has(item)) return item
  }
}
