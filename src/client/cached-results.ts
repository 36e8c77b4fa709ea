import { ShelfError } from '../errors.ts'
import { SharedWork } from '../library/index.ts'
import type { CacheHint, Clock } from '../protocol/index.ts'
import { uriKey } from '../uri/index.ts'
import type { KeptResult, ResultCache } from './result-cache.ts'

/** A result that says how it may be kept, and whether it is too old. */
export interface Keepable {
  readonly hint: CacheHint
  readonly stale: boolean
}

/** What came from a server, and whether it may be kept. */
export interface Fetched<T> {
  readonly value: T
  /** How the server said it may be kept (server/utilities/caching). */
  readonly hint: CacheHint
  /** About how many bytes it takes; asked only of what is kept. */
  size(): number
  /** Whether it is worth keeping although it is old at once, since the server can say that it is still the same. */
  readonly conditional?: boolean
  /** Depends on what was asked in between: never kept. */
  readonly unkept?: boolean
}

export interface CacheQuery<T> {
  /** Method and parameters. */
  readonly key: string
  /** The URI whose change makes it old; absent for lists. */
  readonly uri?: string
  /** Asks the server whatever is kept. */
  readonly fresh?: boolean | undefined
  /** Is not shared with others who ask the same at the same time. */
  readonly alone?: boolean
  /** How long the server may take; only those who wait as long ask together. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Asks the server; `old` is what is kept and no longer fresh. */
  fetch(signal: AbortSignal, old: T | undefined): Promise<Fetched<T>>
}

/** URIs whose last change is known, and their characters; beyond so many, all that is kept is old. */
const MOST_CHANGES = 10_000
const MOST_CHARACTERS = 1024 * 1024

/**
 * Results of one server for one principal, in a cache that may hold others' too (server/utilities/caching). What is
 * asked by several at the same time is asked once.
 */
export class CachedResults {
  readonly #cache: ResultCache | undefined
  readonly #clock: Clock
  readonly #private: string
  readonly #public: string
  readonly #flights = new SharedWork()
  /** When URIs changed, in ticks of the cache: what was asked for before that is old. */
  readonly #changes = new Map<string, number>()
  #characters = 0
  #listsChanged = 0
  /** What was asked for before this is old, whatever it is. */
  #allChanged = 0
  /** Of this client, where there is no cache to count. */
  #ticks = 0

  /** @param owner which server, and who asks, in a cache that others use too */
  constructor(cache: ResultCache | undefined, clock: Clock, owner: { readonly server: string; readonly principal: string }) {
    this.#cache = cache
    this.#clock = clock
    this.#private = `${JSON.stringify([owner.server, owner.principal])} `
    this.#public = `${JSON.stringify([owner.server])} `
  }

  /** What is kept, for as long as it is still fresh, or what the server gives now. */
  async get<T extends Keepable>(query: CacheQuery<T>): Promise<T> {
    const kept = this.#find(query.key)
    const value = kept?.value as T | undefined
    if (kept !== undefined && value !== undefined && query.fresh !== true && this.#isFresh(kept)) {
      return { ...value, hint: { ...value.hint, ttlMs: Math.floor(kept.freshUntil - this.#clock.monotonic()) } }
    }
    try {
      return await this.#ask(query, value)
    } catch (error) {
      const failure = ShelfError.from(error)
      if (isVerdict(failure)) this.#forget(query.key)
      if (value === undefined || query.fresh === true || !mayBeStale(failure)) throw failure
      return { ...value, hint: { ...value.hint, ttlMs: 0 }, stale: true }
    }
  }

  /** Whoever wants what is there now does not get what was asked for before, nor what was before a change. */
  #ask<T extends Keepable>(query: CacheQuery<T>, old: T | undefined): Promise<T> {
    const { key, signal, timeoutMs } = query
    if (query.fresh === true || query.alone === true) return this.#fetch(query, old, signal ?? new AbortController().signal)
    const flight = JSON.stringify([this.#changedAt(keyOf(query.uri)), timeoutMs, key])
    return this.#flights.join(flight, signal, (shared) => this.#fetch(query, old, shared))
  }

  async #fetch<T>(query: CacheQuery<T>, old: T | undefined, signal: AbortSignal): Promise<T> {
    const askedAt = this.#tick()
    const fetched = await query.fetch(signal, old)
    this.#keep(query, fetched, askedAt)
    return fetched.value
  }

  #keep<T>(query: CacheQuery<T>, fetched: Fetched<T>, askedAt: number): void {
    const { ttlMs: ttl } = fetched.hint
    const newer = this.#find(query.key)
    if (newer !== undefined && newer.askedAt > askedAt) return
    this.#forget(query.key)
    if (this.#cache === undefined || fetched.unkept === true || (ttl <= 0 && fetched.conditional !== true)) return
    const owner = fetched.hint.cacheScope === 'public' ? this.#public : this.#private
    this.#cache.set(owner + query.key, {
      value: fetched.value,
      bytes: fetched.size() + 2 * query.key.length + 200,
      freshUntil: this.#clock.monotonic() + ttl,
      askedAt,
      uri: keyOf(query.uri),
    })
  }

  #tick(): number {
    return this.#cache?.tick() ?? ++this.#ticks
  }

  #forget(key: string): void {
    this.#cache?.delete(this.#private + key)
    this.#cache?.delete(this.#public + key)
  }

  #find(key: string): KeptResult | undefined {
    return this.#cache?.get(this.#private + key) ?? this.#cache?.get(this.#public + key)
  }

  #isFresh({ freshUntil, askedAt, uri }: KeptResult): boolean {
    return this.#clock.monotonic() < freshUntil && askedAt > this.#changedAt(uri)
  }

  /** When this, in normal form, or without a URI some list, changed last. */
  #changedAt(uri: string | undefined): number {
    const changed = uri === undefined ? this.#listsChanged : (this.#changes.get(uri) ?? 0)
    return Math.max(changed, this.#allChanged)
  }

  /** What was asked for so far of this URI is no longer fresh; without one, every list. */
  invalidate(uri?: string): void {
    const now = this.#tick()
    const key = keyOf(uri)
    if (key === undefined) {
      this.#listsChanged = now
      return
    }
    if (!this.#changes.has(key)) this.#characters += key.length
    this.#changes.set(key, now)
    if (this.#changes.size <= MOST_CHANGES && this.#characters <= MOST_CHARACTERS) return
    this.#changes.clear()
    this.#characters = 0
    this.#allChanged = now
  }
}

function keyOf(uri: string | undefined): string | undefined {
  return uri === undefined ? undefined : uriKey(uri)
}

/** What says that there is nothing, or nothing for this caller, any more. */
function isVerdict({ code }: ShelfError): boolean {
  return code === 'not-found' || code === 'refused'
}

/** What says that the server could not be asked, not what it answered. */
function mayBeStale({ code }: ShelfError): boolean {
  return code === 'unavailable' || code === 'timeout' || code === 'busy'
}
