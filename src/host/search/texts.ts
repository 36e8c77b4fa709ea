import { ShelfError } from '../../errors.ts'
import type { Provider, Stat, Watcher } from '../../library/index.ts'
import { utf8Length } from '../../library/index.ts'
import { uriKey } from '../../uri/index.ts'
import { KINDS, kindOf } from '../kinds/index.ts'
import type { Asker } from './asker.ts'
import type { Catalogue, Entry } from './catalogue.ts'
import { FairQueue } from './fair-queue.ts'
import { heldResource, partyOf } from './held-resource.ts'
import type { Limits } from './options.ts'
import { Patience } from './patience.ts'
import { readText } from './read-text.ts'
import type { Turns } from './turns.ts'

export interface TextsOptions {
  readonly provider: Provider
  readonly asker: Asker
  readonly catalogue: Catalogue
  readonly limits: Limits
  readonly turns: Turns
  /** Where changes of single resources are asked for, once there is one. */
  watcher(): Watcher | undefined
}

/** Reads the contents of what is catalogued, where they are text or may be, and small enough, and again when they change. */
export class Texts {
  readonly #options: TextsOptions
  readonly #queue = new FairQueue()
  /** Those of which more than the contents may be new. */
  readonly #stale = new Set<string>()
  readonly #watched = new Set<string>()
  readonly #patience = new Patience()
  /** What waited at the mark and has not been read since. */
  #owed = new Set<string>()

  constructor(options: TextsOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** Whether anything still waits that waited at the mark. */
  get isOwing(): boolean {
    return this.#owed.size > 0
  }

  /** Whether something was not asked for since the mark, because whoever has it is silent. */
  get hasGivenUp(): boolean {
    return this.#patience.isOver
  }

  /** Tells what waits now from what is wanted later, also of the same resources. At a moment when nothing is being read. */
  mark(): void {
    this.#owed = new Set(this.#queue.items())
    this.#patience.restore()
  }

  /** @param isStale whether what is listed of it may be another thing by now, too */
  want({ key, server }: Entry, isStale = false): void {
    if (isStale) this.#stale.add(key)
    this.#queue.add(server, key)
  }

  forget({ key, server, resource }: Entry): void {
    this.#queue.delete(server, key)
    this.#owed.delete(key)
    this.#stale.delete(key)
    if (this.#watched.delete(key)) this.#options.watcher()?.remove(resource.uri)
  }

  /** Those for which there was no room, or which could not be read, if there is a chance now. */
  wantAgain(): void {
    const { catalogue } = this.#options
    if (catalogue.count('failed') + catalogue.count('skipped') === 0) return
    for (const entry of catalogue.entries()) {
      if (entry.state === 'failed' || (entry.state === 'skipped' && this.#fits(entry))) this.want(entry)
    }
  }

  /** Reads what waits, until there is something better to do. */
  async read(isInterrupted: () => boolean): Promise<void> {
    const { limits, turns } = this.#options
    const work = async (): Promise<void> => {
      while (!isInterrupted()) {
        const key = this.#queue.take()
        if (key === undefined) return
        await this.#read(key)
        this.#owed.delete(key)
        if (turns.isOver && !isInterrupted()) await turns.next().catch(() => undefined)
      }
    }
    await Promise.all(Array.from({ length: limits.concurrency }, work))
  }

  clear(): void {
    this.#queue.clear()
    this.#owed.clear()
    this.#stale.clear()
    this.#watched.clear()
  }

  async #read(key: string): Promise<void> {
    const { provider, asker, catalogue, limits } = this.#options
    const entry = catalogue.get(key)
    if (entry === undefined) return
    if (this.#stale.delete(key)) await this.#look(entry)
    // It may have gone while it was waited for, or even have come again.
    const isThere = (): boolean => catalogue.get(key) === entry
    if (!isThere()) return
    // As it is listed: what its contents said before may be true no longer.
    if (!mayBeText({ ...entry, kind: kindOf(entry.resource) })) return catalogue.read(entry, 'none')
    if (!this.#fits(entry)) return catalogue.read(entry, 'skipped')
    await this.#watch(entry)
    try {
      const most = Math.min(limits.perResourceBytes, catalogue.room + entry.contentsBytes)
      const text = await this.#patience.ask('read', partyOf(entry.resource), () =>
        readText(provider, asker, entry.resource.uri, most),
      )
      if (!isThere()) return
      // Others were read meanwhile, and took some of the room.
      const isFitting = utf8Length(text) <= catalogue.room + entry.contentsBytes
      catalogue.read(entry, isFitting ? 'held' : 'skipped', isFitting ? text : '')
    } catch (error) {
      if (!isThere() || ShelfError.is(error, 'cancelled')) return
      const isNone = ShelfError.is(error, 'too-large') || ShelfError.is(error, 'unsupported')
      catalogue.read(entry, isNone ? 'skipped' : 'failed')
    }
  }

  #fits({ resource: { size = 0 }, contentsBytes }: Entry): boolean {
    const { catalogue, limits } = this.#options
    const room = Math.min(limits.perResourceBytes, catalogue.room + contentsBytes)
    return room > 0 && size <= room
  }

  /** What is listed of it, where that can be had of one thing alone. */
  async #look(entry: Entry): Promise<void> {
    const { provider, asker, catalogue } = this.#options
    if (provider.stat === undefined) return
    const { uri } = entry.resource
    try {
      const ask = (): Promise<Stat | undefined> =>
        asker.ask((call) => provider.stat?.({ uri }, call) ?? Promise.resolve(undefined))
      const stat = await this.#patience.ask('stat', partyOf(entry.resource), ask)
      const held = stat && heldResource(stat.resource)
      if (held !== undefined && uriKey(held.uri) === entry.key && catalogue.get(entry.key) === entry)
        catalogue.describe(entry, held)
    } catch {
      // The list will tell whether it is gone.
    }
  }

  /** Before it is read, so that no change is lost between. */
  async #watch({ key, resource }: Entry): Promise<void> {
    const { asker, limits } = this.#options
    const watcher = this.#options.watcher()
    if (watcher === undefined || this.#watched.has(key) || this.#watched.size >= limits.watchedUris) return
    this.#watched.add(key)
    try {
      await this.#patience.ask('watch', partyOf(resource), () => asker.ask(() => watcher.add(resource.uri)))
    } catch {
      // Then only the list tells of it.
      this.#watched.delete(key)
    }
  }
}

/** Many servers say of no resource what it is. */
export function mayBeText({ kind, resource: { mimeType } }: Pick<Entry, 'kind' | 'resource'>): boolean {
  return KINDS[kind].isText || (kind === 'other' && mimeType === undefined)
}
