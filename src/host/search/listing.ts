import type { Notice, Provider } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { Asker } from './asker.ts'
import type { Catalogue, Entry } from './catalogue.ts'
import { bytesOf, keyed } from './catalogue.ts'
import type { Limits } from './options.ts'
import type { Turns } from './turns.ts'
import { walkList } from './walk-list.ts'

export interface ListingOptions {
  readonly provider: Provider
  readonly asker: Asker
  readonly catalogue: Catalogue
  readonly limits: Limits
  readonly turns: Turns
  /** A resource is new, or is listed otherwise than before: its contents are to be read. */
  readonly found: (entry: Entry) => void
  /** A resource left the list. */
  readonly gone: (entry: Entry) => void
}

/** Brings a catalogue to what is listed: what is new comes in, what has gone is taken out at the end. */
export class Listing {
  readonly #options: ListingOptions
  #walks = 0

  constructor(options: ListingOptions) {
    this.#options = options
  }

  /** @throws what the provider throws; what was come by until then stays */
  async walk(hear: (notice: Notice) => void): Promise<void> {
    const { provider, asker, limits, turns } = this.#options
    const walk = ++this.#walks
    const late = new Map<string, Resource>()
    const seen = { items: 0, bytes: 0 }
    const end = await walkList(
      (request) => asker.ask((call) => provider.list(request, call)),
      (resource) => this.#take(resource, walk, late, seen),
      () => (turns.isOver ? turns.next() : undefined),
      hear,
    )
    if (end === 'endless') hear(warning('The list has no end: what it repeats is left out'))
    await this.#sweep(walk)
    await this.#addLate(walk, late)
    if (end !== 'enough') return
    const { maxResources, metadataBytes } = limits
    hear(
      warning(
        `There are more resources than the ${maxResources} or the ${metadataBytes} bytes that are indexed: the rest is left out`,
      ),
    )
  }

  /** A new one for which there is no room may have some when others have gone. */
  #take(
    resource: Resource,
    walk: number,
    late: Map<string, Resource>,
    seen: { items: number; bytes: number },
  ): boolean | 'enough' {
    const { catalogue, limits, found } = this.#options
    const known = keyed(resource)
    if (known === undefined) return false
    const { key, held } = known
    const entry = catalogue.get(key)
    if (entry?.walk === walk || late.has(key)) return false
    if (seen.items >= limits.maxResources || seen.bytes >= limits.metadataBytes) return 'enough'
    seen.items++
    if (entry !== undefined) {
      entry.walk = walk
      if (catalogue.describe(entry, held)) found(entry)
      seen.bytes += entry.metadataBytes
    } else if (catalogue.isFull) {
      late.set(key, held)
      seen.bytes += bytesOf(held)
    } else {
      const added = catalogue.add(key, held, walk)
      seen.bytes += added.metadataBytes
      found(added)
    }
    return true
  }

  async #sweep(walk: number): Promise<void> {
    const { catalogue, turns, gone } = this.#options
    for (const entry of catalogue.entries()) {
      if (turns.isOver) await turns.next()
      if (entry.walk === walk) continue
      catalogue.remove(entry)
      gone(entry)
    }
  }

  async #addLate(walk: number, late: ReadonlyMap<string, Resource>): Promise<void> {
    const { catalogue, turns, found } = this.#options
    for (const [key, held] of late) {
      if (turns.isOver) await turns.next()
      if (catalogue.isFull) return
      found(catalogue.add(key, held, walk))
    }
  }
}

export function warning(message: string): Notice {
  return { level: 'warning', message }
}
