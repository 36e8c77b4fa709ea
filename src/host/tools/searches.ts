import type { Call, Provider } from '../../library/index.ts'
import { principalKey, within } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { ResourceSearch, SearchLimits } from '../search/index.ts'
import { lasting } from './lasting.ts'
import type { Limits } from './options.ts'

interface Held {
  readonly opening: Promise<ResourceSearch>
  /** Once it is open. */
  search?: ResourceSearch
  readonly end: AbortController
}

/** An index for each of those who asked last: what one caller may see is not what another may. */
export class Searches implements AsyncDisposable {
  readonly #data: Provider
  readonly #limits: Limits
  readonly #options: SearchLimits & { readonly clock?: Clock }
  /** In the order in which they were asked last. */
  readonly #held = new Map<string, Held>()
  #isClosed = false

  constructor(data: Provider, limits: Limits, options: SearchLimits & { readonly clock?: Clock }) {
    this.#data = data
    this.#limits = limits
    this.#options = options
  }

  /** The index of this caller, with all contents in it if that does not take too long. */
  async of(call: Call): Promise<ResourceSearch> {
    const key = principalKey(call.principal) ?? crypto.randomUUID()
    const held = this.#held.get(key) ?? this.#open(call)
    this.#held.delete(key)
    if (!this.#isClosed) this.#held.set(key, held)
    for (const [oldest, one] of this.#held) {
      if (this.#held.size <= this.#limits.indexes) break
      this.#held.delete(oldest)
      one.end.abort()
    }
    try {
      held.search = await held.opening
    } catch (error) {
      this.#held.delete(key)
      throw error
    }
    // What is not indexed by then is not found this time.
    await within(held.search.upToDate(), this.#limits.indexWaitMs).catch(() => undefined)
    return held.search
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
    const all = [...this.#held.values()]
    this.#held.clear()
    await Promise.all(
      all.map(async ({ opening, end }) => {
        end.abort()
        await (await opening.catch(() => undefined))?.[Symbol.asyncDispose]()
      }),
    )
  }

  #open(call: Call): Held {
    const end = new AbortController()
    const own = lasting(call, end.signal)
    const opening = import('../search/index.ts').then(({ openSearch }) => openSearch(this.#data, own, this.#options))
    return { opening, end }
  }
}

/** Whether this caller may hear of a resource now: rights may have changed since it was indexed. */
export function mayFind(data: Provider, uri: string, call: Call): boolean {
  return call.allows('list', uri) && (data.delivers?.({ kind: 'updated', uri }, call) ?? true)
}
