import { ShelfError } from '../errors.ts'

/** What takes room. */
export interface Sized {
  /** About how many bytes it takes. */
  readonly bytes: number
}

/**
 * Values by key, as many as fit, those used last. A Map remembers the order in which its keys came; what is used is taken
 * out and put in again.
 */
export class LeastRecentlyUsed<V extends Sized> {
  readonly #limit: number
  readonly #gone: ((key: string, value: V) => void) | undefined
  readonly #kept = new Map<string, V>()
  #bytes = 0

  /**
   * @param limit how many bytes in all
   * @param gone told of each that is kept no longer, whatever the reason
   * @throws ShelfError `invalid-option` for a limit that is none
   */
  constructor(limit: number, gone?: (key: string, value: V) => void) {
    if (!(limit >= 0 && limit <= Number.MAX_SAFE_INTEGER))
      throw new ShelfError('invalid-option', `maxBytes is a number of bytes, got ${limit}`, { option: 'maxBytes' })
    this.#limit = limit
    this.#gone = gone
  }

  /** About how many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** The most bytes of one value: it does not push out all others. */
  get largest(): number {
    return this.#limit / 4
  }

  get(key: string): V | undefined {
    const value = this.#kept.get(key)
    if (value === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.delete(key)
    if (value.bytes > this.largest) return
    this.#kept.set(key, value)
    this.#bytes += value.bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limit) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const value = this.#kept.get(key)
    if (value === undefined) return
    this.#kept.delete(key)
    this.#bytes -= value.bytes
    this.#gone?.(key, value)
  }

  /** All that is kept; what is looked at may be deleted meanwhile. */
  entries(): IterableIterator<[string, V]> {
    return this.#kept.entries()
  }
}
