import type { Clock } from '../../protocol/index.ts'
import { uriKey } from '../../uri/index.ts'
import { LeastRecentlyUsed } from '../least-recently-used.ts'
import { covers } from '../mounts.ts'
import type { Change } from '../provider.ts'
import type { Question } from './asking-call.ts'

/** That somebody listens to a URI: as long as this very one does, all its changes are heard. */
export interface Listening {
  count: number
}

/** What a kept answer depends on. */
export interface Dependence {
  /** Whether it tells what there is, and not what is in something: lists, directories, values, and that there is nothing. */
  readonly ofSet: boolean
  /** Normal forms of the URIs that are in it. */
  readonly uris: readonly string[]
}

/** An answer that is kept. Nobody changes it. */
export interface KeptAnswer extends Dependence {
  /** Absent for "not found". */
  readonly value?: object
  readonly bytes: number
  /** In milliseconds of the monotonic clock. */
  readonly freshUntil: number
  /** With this it is as good as fresh. */
  readonly listening?: Listening
  readonly questions: readonly Question[]
}

/** An answer that is being fetched, and what changed meanwhile. */
interface Fetch {
  readonly changes: Change[]
}

/** Changes that one fetch is compared with; of more, all are taken to concern it. */
const MOST_CHANGES = 100

/** Answers by what was asked, as many as fit, until they are too old or something that they depend on changes. */
export class CacheStore {
  readonly #clock: Clock
  readonly #kept: LeastRecentlyUsed<KeptAnswer>
  readonly #byUri = new Map<string, Set<string>>()
  readonly #fetches = new Set<Fetch>()
  #changes = 0

  constructor(maxBytes: number, clock: Clock) {
    this.#clock = clock
    this.#kept = new LeastRecentlyUsed(maxBytes, (key, { uris }) => {
      for (const uri of uris) this.#forget(uri, key)
    })
  }

  /** The most bytes of one answer. */
  get largest(): number {
    return this.#kept.largest
  }

  /** Another number after each change: what is asked for now is not answered with what was fetched before. */
  get changes(): number {
    return this.#changes
  }

  get now(): number {
    return this.#clock.monotonic()
  }

  /** @param listening who listens to this URI now */
  find(key: string, listening: Listening | undefined): KeptAnswer | undefined {
    const answer = this.#kept.get(key)
    if (answer === undefined || this.now < answer.freshUntil) return answer
    if (answer.listening !== undefined && answer.listening === listening) return answer
    this.#kept.delete(key)
    return undefined
  }

  /** Something is fetched from now on; `end` is called once, whatever comes of it. */
  begin(): { readonly changed: (what: Dependence) => boolean; readonly end: () => void } {
    const fetch: Fetch = { changes: [] }
    this.#fetches.add(fetch)
    return {
      changed: (what) => fetch.changes.length > MOST_CHANGES || fetch.changes.some((change) => concerns(change, what)),
      end: () => this.#fetches.delete(fetch),
    }
  }

  keep(key: string, answer: KeptAnswer): void {
    this.#kept.delete(key)
    if (answer.bytes > this.largest) return
    for (const uri of answer.uris) {
      const keys = this.#byUri.get(uri)
      if (keys === undefined) this.#byUri.set(uri, new Set([key]))
      else keys.add(key)
    }
    this.#kept.set(key, answer)
  }

  hear(change: Change): void {
    this.#changes++
    for (const { changes } of this.#fetches) if (changes.length <= MOST_CHANGES) changes.push(change)
    if (change.kind === 'updated') for (const key of this.#byUri.get(uriKey(change.uri)) ?? []) this.#kept.delete(key)
    else for (const [key, answer] of this.#kept.entries()) if (concerns(change, answer)) this.#kept.delete(key)
  }

  #forget(uri: string, key: string): void {
    const keys = this.#byUri.get(uri)
    keys?.delete(key)
    if (keys?.size === 0) this.#byUri.delete(uri)
  }
}

/** A set that changed below a place may have changed what is at, below or above it. */
function concerns(change: Change, { ofSet, uris }: Dependence): boolean {
  if (change.kind === 'lost') return true
  if (change.kind === 'updated') return uris.includes(uriKey(change.uri))
  if (ofSet || change.under === undefined) return true
  const under = uriKey(change.under)
  return uris.some((uri) => covers(under, uri) || under.startsWith(uri))
}
