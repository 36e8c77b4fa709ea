import type { SearchHit } from '../search/index.ts'

/** So many are read at once. */
const AT_ONCE = 4

/** Reads what is planned before it is its turn, so that servers answer side by side and not one after the other. */
export class ReadAhead {
  readonly #read: (hit: SearchHit) => Promise<string>
  readonly #begun = new Map<SearchHit, Promise<string>>()
  #planned: readonly SearchHit[] = []

  constructor(read: (hit: SearchHit) => Promise<string>) {
    this.#read = read
  }

  /** What will be asked for, in this order; some of it perhaps never. */
  plan(hits: readonly SearchHit[]): void {
    this.#planned = hits
  }

  /** The text of one, which is waited for; what is planned after it is begun. */
  of(hit: SearchHit): Promise<string> {
    const text = this.#begin(hit)
    this.#begun.delete(hit)
    const at = this.#planned.indexOf(hit)
    if (at >= 0) this.#planned = this.#planned.slice(at + 1)
    for (const next of this.#planned) {
      if (this.#begun.size >= AT_ONCE - 1) break
      this.#begun.set(next, this.#begin(next))
    }
    return text
  }

  #begin(hit: SearchHit): Promise<string> {
    const known = this.#begun.get(hit)
    if (known !== undefined) return known
    const text = this.#read(hit)
    // What is asked for by nobody fails for nobody.
    text.catch(() => undefined)
    return text
  }
}
