import type { Clock } from '../protocol/index.ts'
import { uriKey } from '../uri/index.ts'
import type { Dependents } from './dependents.ts'
import { PendingChanges } from './pending-changes.ts'
import type { Change, Watcher } from './provider.ts'

/** Where changes come from that a Library does not make itself. */
export interface ChangeSources {
  /** Resolves when changes of sets are heard, or when those sources that are not armed have had their time. */
  addLists(): Promise<void>
  removeLists(): Promise<void>
  /** Resolves when changes of this URI are heard. Each call, also one that failed, is taken back by one of `remove`. */
  add(uri: string): Promise<void>
  /** Takes the URI as it was added. */
  remove(uri: string): Promise<void>
}

/** What a listener wants to hear of: everything that is noticed, or only what it asks for. */
export type WatchInterest = 'all' | 'asked'

/** A watch on a Library. With interest in `all` it hears of sets from the start. */
export interface LibraryWatcher extends Watcher {
  /** Resolves when changes of the set of resources will be heard. Each call is taken back by one of `removeLists`. */
  addLists(): Promise<void>
  removeLists(): void
}

/** A URI that is listened to. */
interface Asked {
  /** It, as it was first written, and what it depends on: what sources were asked for, and are to be told when it ends. */
  uris: readonly string[]
  count: number
  readonly armed: Promise<void>
  /** The version that was told last. */
  version?: string
}

interface Listener {
  readonly onChange: (change: Change) => void
  readonly interest: WatchInterest
  /** Normal forms of URIs and how often each was asked for. */
  readonly uris: Map<string, number>
  lists: number
}

const LISTS = 'list'

/**
 * The one stream of changes of a Library: what its sources and its author report, gathered, without repetitions of a
 * version, with the changes that follow from `dependsOn`. Sources are asked for no more than is listened to.
 */
export class ChangeFeed {
  readonly #sources: ChangeSources
  readonly #dependents: Dependents
  readonly #listeners = new Set<Listener>()
  readonly #asked = new Map<string, Asked>()
  readonly #pending: PendingChanges
  readonly #heard: (change: Change) => void

  /** @param heard told of each change at once, whether somebody listens or not */
  constructor(
    sources: ChangeSources,
    dependents: Dependents,
    clock: Clock,
    times: { readonly windowMs: number; readonly maxWaitMs: number },
    heard: (change: Change) => void,
  ) {
    this.#heard = heard
    this.#sources = sources
    this.#dependents = dependents
    this.#pending = new PendingChanges(clock, times, (key, change) => this.#tell(key, change))
  }

  /** Takes a change from a source or the author. Nobody who begins to listen later is told of it. */
  hear(change: Change): void {
    this.#take(change)
    if (this.#dependents.size > 0) this.#follow(change, new Set())
  }

  /** Resolves when armed, which for `asked` is at once. */
  async watch(onChange: (change: Change) => void, interest: WatchInterest): Promise<LibraryWatcher> {
    const listener: Listener = { onChange, interest, uris: new Map(), lists: 0 }
    this.#pending.flushAll()
    this.#listeners.add(listener)
    if (interest === 'all') await this.#addLists(listener)
    let closing: Promise<void> | undefined
    return {
      add: (uri) => this.#add(listener, uri),
      remove: (uri) => this.#remove(listener, uriKey(uri)),
      addLists: () => this.#addLists(listener),
      removeLists: () => void this.#removeLists(listener),
      [Symbol.asyncDispose]: () => (closing ??= this.#close(listener)),
    }
  }

  /** What a resource depends on is something else now: if it is listened to, so is that. */
  depends(key: string): void {
    const asked = this.#asked.get(key)
    if (asked === undefined) return
    const [uri = key, ...before] = asked.uris
    const now = this.#dependents.of(key)
    asked.uris = [uri, ...now]
    this.#arm(now).catch(() => undefined)
    for (const each of before) void this.#sources.remove(each)
  }

  /** A change of a set, or one that has been asked for or that somebody hears anyway. */
  #take(change: Change): void {
    this.#heard(change)
    if (this.#listeners.size === 0) return
    if (change.kind === 'list') this.#pending.add(LISTS, change, both)
    else if (change.kind === 'lost') this.#pending.add(`lost ${change.under ?? ''}`, change)
    else {
      const key = uriKey(change.uri)
      if (this.#asked.has(key) || this.#hasAll) this.#pending.add(`uri ${key}`, change)
    }
  }

  #follow(change: Change, seen: Set<string>): void {
    for (const { key, uri } of this.#dependents.touched(change)) {
      if (seen.has(key)) continue
      seen.add(key)
      const following: Change = { kind: 'updated', uri }
      this.#take(following)
      this.#follow(following, seen)
    }
  }

  get #hasAll(): boolean {
    for (const { interest } of this.#listeners) if (interest === 'all') return true
    return false
  }

  #tell(key: string, change: Change): void {
    const normal = key.startsWith('uri ') ? key.slice(4) : undefined
    if (normal !== undefined && change.kind === 'updated') {
      const asked = this.#asked.get(normal)
      if (asked !== undefined) {
        if (change.version !== undefined && change.version === asked.version) return
        if (change.version === undefined) delete asked.version
        else asked.version = change.version
      }
    }
    // Whoever looks again after this may see any version.
    if (change.kind === 'lost') for (const asked of this.#asked.values()) delete asked.version
    for (const listener of this.#listeners) {
      if (!wants(listener, normal, change)) continue
      try {
        listener.onChange(change)
      } catch {
        // What a listener throws is its own affair: the others hear all the same.
      }
    }
  }

  /** Those who listen already are told what waits, so that a newcomer hears only of what happens from now on. */
  async #addLists(listener: Listener): Promise<void> {
    this.#pending.flush(LISTS)
    listener.lists++
    await this.#sources.addLists()
  }

  async #removeLists(listener: Listener): Promise<void> {
    if (listener.lists === 0) return
    listener.lists--
    await this.#sources.removeLists()
  }

  async #add(listener: Listener, uri: string): Promise<void> {
    const key = uriKey(uri)
    this.#pending.flush(`uri ${key}`)
    listener.uris.set(key, (listener.uris.get(key) ?? 0) + 1)
    let asked = this.#asked.get(key)
    if (asked === undefined) {
      const uris = [uri, ...this.#dependents.of(key)]
      asked = { uris, count: 0, armed: this.#arm(uris) }
      this.#asked.set(key, asked)
    }
    asked.count++
    try {
      await asked.armed
    } catch (error) {
      // Unless it was taken back meanwhile, and perhaps asked for again.
      if (this.#asked.get(key) === asked) this.#remove(listener, key)
      throw error
    }
  }

  async #arm(uris: readonly string[]): Promise<void> {
    await Promise.all(uris.map((uri) => this.#sources.add(uri)))
  }

  #remove(listener: Listener, key: string): void {
    const mine = listener.uris.get(key)
    if (mine === undefined) return
    if (mine > 1) listener.uris.set(key, mine - 1)
    else listener.uris.delete(key)
    void this.#release(key)
  }

  async #release(key: string): Promise<void> {
    const asked = this.#asked.get(key)
    if (asked === undefined || --asked.count > 0) return
    this.#asked.delete(key)
    await Promise.all(asked.uris.map((uri) => this.#sources.remove(uri)))
  }

  async #close(listener: Listener): Promise<void> {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.#pending.clear()
    const work: Promise<void>[] = []
    for (const [key, count] of listener.uris) for (let i = 0; i < count; i++) work.push(this.#release(key))
    listener.uris.clear()
    while (listener.lists > 0) work.push(this.#removeLists(listener))
    await Promise.all(work)
  }
}

function wants(listener: Listener, normal: string | undefined, change: Change): boolean {
  if (listener.interest === 'all') return true
  if (normal !== undefined) return listener.uris.has(normal)
  return change.kind === 'lost' || listener.lists > 0
}

/** Two changes of the set as one: below the same place, or anywhere. */
function both(older: Change, newer: Change): Change {
  if (older.kind === 'list' && newer.kind === 'list' && older.under === newer.under) return newer
  return { kind: 'list' }
}
