import { LeastRecentlyUsed } from '../library/index.ts'

/** A result that is kept. */
export interface KeptResult {
  readonly value: unknown
  /** About how many bytes it takes. */
  readonly bytes: number
  /** Until when it is fresh, in milliseconds of the monotonic clock. */
  readonly freshUntil: number
  /** When it was asked for, in ticks of the cache. */
  readonly askedAt: number
  /** URIs whose change makes it old, in normal form; `undefined` for a list. */
  readonly uri: string | undefined
}

/**
 * Results by key, as many as fit, those used last. It only keeps: what may be kept, for whom and how long is decided
 * by whoever puts it in.
 */
export interface ResultCache {
  get(key: string): KeptResult | undefined
  set(key: string, result: KeptResult): void
  delete(key: string): void
  /** A number larger than all before, by which what happens is put in order. */
  tick(): number
  /** About how many bytes are kept. */
  readonly bytes: number
}

export interface ResultCacheOptions {
  /** Default 32 MiB. */
  readonly maxBytes?: number
}

const MAX_BYTES = 32 * 1024 * 1024

/**
 * Makes a cache for one client, or to be shared by several.
 *
 * @throws ShelfError `invalid-option` for a limit that is none
 */
export function createResultCache(options: ResultCacheOptions = {}): ResultCache {
  return new CountingCache(options.maxBytes ?? MAX_BYTES)
}

class CountingCache extends LeastRecentlyUsed<KeptResult> implements ResultCache {
  #ticks = 0

  tick(): number {
    return ++this.#ticks
  }
}
