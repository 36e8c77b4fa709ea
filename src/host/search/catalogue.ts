import { utf8Length } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { decodeSegment, uriKey } from '../../uri/index.ts'
import type { Kind } from '../kinds/index.ts'
import { kindOf } from '../kinds/index.ts'
import { heldResource, serverOf } from './held-resource.ts'
import type { Limits } from './options.ts'
import type { TermHit } from './find.ts'
import { find } from './find.ts'
import type { TermIndex, Texts } from './term-index.ts'

/** What is known of the contents of a resource: nothing yet or for ever, a text, or why there is none. */
export type ContentsState = 'none' | 'held' | 'skipped' | 'failed'

/** A resource as it is indexed. */
export interface Entry {
  readonly key: string
  /** Whose turn it is when it is read. */
  readonly server: string
  resource: Resource
  kind: Kind
  contents: string
  state: ContentsState
  /** What it takes up of the bytes for metadata, and for contents. */
  metadataBytes: number
  contentsBytes: number
  /** The last walk through the list that came by it. */
  walk: number
}

/** What a term weighs at least, beside its text: in metadata, in contents. */
const TERM_BYTES = { metadata: 16, contents: 4 }

/** Contents stand apart, since they come later, and again. */
export interface CatalogueIndexes {
  readonly metadata: TermIndex<'name' | 'title' | 'description' | 'uri'>
  readonly contents: TermIndex<'contents'>
}

/** The resources of an index, within its budgets. */
export class Catalogue {
  readonly #entries = new Map<string, Entry>()
  readonly #indexes: CatalogueIndexes
  readonly #limits: Limits
  readonly #counts: Record<ContentsState, number> = { none: 0, held: 0, skipped: 0, failed: 0 }
  #metadataBytes = 0
  #contentsBytes = 0

  constructor(indexes: CatalogueIndexes, limits: Limits) {
    this.#indexes = indexes
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  get contentsBytes(): number {
    return this.#contentsBytes
  }

  /** Bytes left for contents. */
  get room(): number {
    return Math.max(0, this.#limits.contentsBytes - this.#contentsBytes)
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#limits.maxResources || this.#metadataBytes >= this.#limits.metadataBytes
  }

  count(state: ContentsState): number {
    return this.#counts[state]
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  entries(): IterableIterator<Entry> {
    return this.#entries.values()
  }

  /** A resource that is not there yet, and for which there is room. */
  add(key: string, resource: Resource, walk: number): Entry {
    const entry: Entry = {
      key,
      server: serverOf(resource) ?? '',
      resource,
      kind: kindOf(resource),
      contents: '',
      state: 'none',
      metadataBytes: 0,
      contentsBytes: 0,
      walk,
    }
    this.#entries.set(key, entry)
    this.#counts.none++
    this.#enter(entry)
    return entry
  }

  /** What is listed of it now; whether that is anything new. */
  describe(entry: Entry, resource: Resource): boolean {
    if (isSame(entry.resource, resource)) return false
    this.#leave(entry)
    entry.resource = resource
    entry.kind = kindOf(resource, entry.contents)
    this.#enter(entry)
    return true
  }

  /** Its contents, or why there are none; they may show of what kind it is. */
  read(entry: Entry, state: ContentsState, contents = ''): void {
    this.#counts[entry.state]--
    entry.state = state
    this.#counts[state]++
    if (contents === entry.contents) return
    this.#dropContents(entry)
    entry.contents = contents
    entry.kind = kindOf(entry.resource, contents)
    if (contents === '') return
    const terms = this.#indexes.contents.add(entry.key, { contents })
    entry.contentsBytes = Math.max(utf8Length(contents), terms * TERM_BYTES.contents)
    this.#contentsBytes += entry.contentsBytes
  }

  /** Those that match any word and are admitted, by their keys, the best first. */
  search(query: string, admits: (entry: Entry) => boolean, limit: number): readonly TermHit[] {
    const isAdmitted = (key: string): boolean => {
      const entry = this.#entries.get(key)
      return entry !== undefined && admits(entry)
    }
    return find([this.#indexes.metadata, this.#indexes.contents], query, isAdmitted, limit)
  }

  remove(entry: Entry): void {
    this.#leave(entry)
    this.#dropContents(entry)
    this.#counts[entry.state]--
    this.#entries.delete(entry.key)
  }

  #dropContents(entry: Entry): void {
    if (entry.contents === '') return
    this.#indexes.contents.remove(entry.key, { contents: entry.contents })
    this.#contentsBytes -= entry.contentsBytes
    entry.contents = ''
    entry.contentsBytes = 0
  }

  #enter(entry: Entry): void {
    const terms = this.#indexes.metadata.add(entry.key, textsOf(entry.resource))
    entry.metadataBytes = bytesOf(entry.resource) + terms * TERM_BYTES.metadata
    this.#metadataBytes += entry.metadataBytes
  }

  #leave(entry: Entry): void {
    this.#indexes.metadata.remove(entry.key, textsOf(entry.resource))
    this.#metadataBytes -= entry.metadataBytes
  }
}

/** The name under which a resource is kept, and what is kept of it; undefined for what has no usable URI. */
export function keyed(resource: Resource): { readonly key: string; readonly held: Resource } | undefined {
  const held = heldResource(resource)
  return held && { key: uriKey(held.uri), held }
}

/** What the texts of a resource's metadata take up in memory. */
export function bytesOf({ uri, name, title = '', description = '' }: Resource): number {
  return 2 * (uri.length + name.length + title.length + description.length)
}

function textsOf({ uri, name, title = '', description = '' }: Resource): Texts<'name' | 'title' | 'description' | 'uri'> {
  return { name, title, description, uri: decodeSegment(uri) ?? uri }
}

/** Both are as they are held, with their members in one order. */
function isSame(a: Resource, b: Resource): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
