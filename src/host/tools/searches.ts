import { ShelfError } from '../../errors.ts'
import type { Call, Provider, Settleable } from '../../library/index.ts'
import { principalKey, settleable, unlessAborted, within, withSignal } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { ResourceSearch, SearchLimits } from '../search/index.ts'
import type { Limits } from './options.ts'

interface Held {
  readonly opening: Promise<ResourceSearch>
  /** Once it is open. */
  search?: ResourceSearch
  readonly end: AbortController
  /** Calls that are answered from it now. */
  users: number
}

type Options = SearchLimits & { readonly clock: Clock }

/** An index for each of those who asked last: what one caller may see is not what another may. */
export class Searches implements AsyncDisposable {
  readonly #data: Provider
  readonly #limits: Limits
  readonly #options: Options
  /** In the order in which they were asked last. */
  readonly #held = new Map<string, Held>()
  /** Settles when an index is in use no more. */
  #freed: Settleable<void> = settleable()
  #isClosed = false

  constructor(data: Provider, limits: Limits, options: Options) {
    this.#data = data
    this.#limits = limits
    this.#options = options
  }

  /**
   * Answers from the index of this caller, with all in it if that does not take too long: `isWhole` says whether.
   *
   * @throws ShelfError `busy` when all indexes are in use by others for as long as that; `unavailable` when they are disposed
   */
  async ask<T>(call: Call, answer: (search: ResourceSearch, isWhole: boolean) => Promise<T>): Promise<T> {
    const known = principalKey(call.principal)
    const key = known ?? crypto.randomUUID()
    const held = await this.#take(key, call)
    try {
      const search = await unlessAborted(held.opening, call.signal)
      const isWhole = await this.#isUpToDate(search, call)
      if (held.end.signal.aborted) throw disposed()
      return await answer(search, isWhole)
    } finally {
      held.users--
      if (known === undefined) this.#drop(key, held)
      this.#free()
    }
  }

  /** URIs that a caller may have meant, if an index is there already. */
  similar(uri: string, call: Call): readonly string[] {
    const key = principalKey(call.principal)
    const search = key === undefined ? undefined : this.#held.get(key)?.search
    const words = uri.slice(0, 500).replace(/^[a-z][a-z0-9+.-]*:/i, '')
    if (search === undefined || words.trim() === '') return []
    return search
      .search(words, { limit: 6 })
      .map(({ resource }) => resource.uri)
      .filter((one) => one !== uri && mayFind(this.#data, one, call))
      .slice(0, 3)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const all = [...this.#held]
    for (const [key, held] of all) this.#drop(key, held)
    this.#free()
    await Promise.all(all.map(async ([, { opening }]) => (await opening.catch(() => undefined))?.[Symbol.asyncDispose]()))
  }

  /** The index of a caller, in use from now on. Where all are, it waits for one that others use no more. */
  async #take(key: string, call: Call): Promise<Held> {
    let isLate = false
    const callOff = this.#options.clock.after(this.#limits.indexWaitMs, () => {
      isLate = true
      this.#free()
    })
    try {
      for (;;) {
        if (this.#isClosed) throw disposed()
        const held = this.#held.get(key) ?? this.#open(key, call)
        if (held !== undefined) {
          held.users++
          this.#held.delete(key)
          this.#held.set(key, held)
          return held
        }
        if (isLate) throw new ShelfError('busy', 'All indexes are in use', {})
        await unlessAborted(this.#freed.promise, call.signal)
      }
    } finally {
      callOff()
    }
  }

  /** What is not indexed by then is not found this time. */
  async #isUpToDate(search: ResourceSearch, call: Call): Promise<boolean> {
    try {
      await unlessAborted(within(search.upToDate(), this.#limits.indexWaitMs), call.signal)
      return true
    } catch (error) {
      if (call.signal.aborted) throw error
      return false
    }
  }

  /** A new index, if there is room for it, or one that nobody uses can go. */
  #open(key: string, call: Call): Held | undefined {
    if (this.#held.size >= this.#limits.indexes) {
      const unused = [...this.#held].find(([, { users }]) => users === 0)
      if (unused === undefined) return undefined
      this.#drop(...unused)
    }
    const end = new AbortController()
    const own = withSignal(call, end.signal)
    const opening = import('../search/index.ts').then(({ openSearch }) => openSearch(this.#data, own, this.#options))
    const held: Held = { opening, end, users: 0 }
    opening.then(
      (search) => {
        held.search = search
      },
      () => this.#drop(key, held),
    )
    return held
  }

  #drop(key: string, held: Held): void {
    held.end.abort()
    if (this.#held.get(key) === held) this.#held.delete(key)
  }

  #free(): void {
    this.#freed.resolve()
    this.#freed = settleable()
  }
}

function disposed(): ShelfError {
  return new ShelfError('unavailable', 'The tools are disposed', {})
}

/** Whether this caller may hear of a resource now: rights may have changed since it was indexed. */
export function mayFind(data: Provider, uri: string, call: Call): boolean {
  return call.allows('list', uri) && (data.delivers?.({ kind: 'updated', uri }, call) ?? true)
}
