import type { Call, Notice, Provider } from '../../library/index.ts'
import { LONGEST_MS, requireCount, systemClock } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { Kind } from '../kinds/index.ts'
import { uriKey } from '../../uri/index.ts'
import { Catalogue } from './catalogue.ts'
import type { Entry } from './catalogue.ts'
import type { SearchFilters } from './filters.ts'
import { filterOf } from './filters.ts'
import { Indexer } from './indexer.ts'
import { warning } from './listing.ts'
import type { SearchOptions, SearchProgress } from './options.ts'
import { limitsOf, tell } from './options.ts'
import type { TemplateHit } from './template-shelf.ts'
import { TemplateShelf } from './template-shelf.ts'
import type { SearchField } from './term-index.ts'
import { TermIndex } from './term-index.ts'
import { Vocabulary } from './vocabulary.ts'

/** Hits of a search that does not say how many it wants. */
const LIMIT = 20

const FIELDS = ['name', 'title', 'description', 'uri'] as const

/** A resource that was found. */
export interface SearchHit {
  /** As it is listed, but for long texts, which are cut, icons, and metadata of others than Shelfmark. */
  readonly resource: Resource
  readonly kind: Kind
  /** BM25 over the fields by their weights; 0 where nothing was asked for but filters. */
  readonly score: number
  /** What was found, in small letters and without accents. */
  readonly terms: readonly string[]
  readonly fields: readonly SearchField[]
}

/**
 * An index over the resources of a provider, as one caller may have them: whoever may see other things needs one of their
 * own. It follows the provider's changes until it is disposed.
 */
export interface ResourceSearch extends AsyncDisposable {
  /** Resolves when all is indexed for the first time; rejects with `cancelled` when it was ended before. */
  readonly ready: Promise<void>
  /** Resolves when all that has been told of until now is indexed, whatever changes meanwhile. */
  upToDate(): Promise<void>
  /** How many resources are indexed. */
  readonly size: number
  readonly progress: SearchProgress
  /** What is indexed under a URI. */
  get(uri: string): SearchHit | undefined
  /**
   * What matches any word of the query, the best first; a blank query gives all that the filters leave.
   *
   * @param filters `limit` is 20 by default
   */
  search(query: string, filters?: SearchFilters & { readonly limit?: number }): readonly SearchHit[]
  /** Templates that match any word of the query, the best first. */
  templates(query: string, filters?: Pick<SearchFilters, 'server'> & { readonly limit?: number }): readonly TemplateHit[]
}

/**
 * Indexes what a provider lists, and the contents of small texts. It can be searched at once, and finds more from moment to
 * moment; `ready` says when all is there. The signal of the call ends it, as `signal` does.
 *
 * @throws ShelfError `invalid-option`
 */
export async function openSearch(provider: Provider, call: Call, options: SearchOptions = {}): Promise<ResourceSearch> {
  const { onProgress, onNotice, signal, clock = systemClock } = options
  const limits = limitsOf(options)
  const vocabulary = new Vocabulary(limits.maxTerms)
  const metadata = await TermIndex.open(FIELDS, vocabulary)
  const contents = await TermIndex.open(['contents'], vocabulary)
  const catalogue = new Catalogue({ metadata, contents }, limits)
  const templates = new TemplateShelf(await TermIndex.open(FIELDS, vocabulary))
  let isFull = false
  const hear = (notice: Notice): void => tell(onNotice, notice)
  const progressed = (progress: SearchProgress): void => {
    tell(onProgress, progress)
    if (isFull || !vocabulary.isFull) return
    isFull = true
    hear(warning(`There are more than ${limits.maxTerms} different words: what nobody used before is not found any more`))
  }
  const indexer = new Indexer({ provider, call, catalogue, templates, limits, clock, progressed, hear })
  return new OpenSearch(indexer, catalogue, templates, [call.signal, ...(signal === undefined ? [] : [signal])])
}

class OpenSearch implements ResourceSearch {
  readonly ready: Promise<void>
  readonly #signals: readonly AbortSignal[]
  readonly #close = (): void => void this[Symbol.asyncDispose]()
  #indexer: Indexer | undefined
  #last: SearchProgress
  #shelves: { readonly catalogue: Catalogue; readonly templates: TemplateShelf } | undefined
  #closing = Promise.resolve()

  constructor(indexer: Indexer, catalogue: Catalogue, templates: TemplateShelf, signals: readonly AbortSignal[]) {
    this.#indexer = indexer
    this.#last = indexer.progress
    this.#shelves = { catalogue, templates }
    this.#signals = signals
    this.ready = indexer.upToDate()
    for (const signal of signals) {
      if (signal.aborted) this.#close()
      else signal.addEventListener('abort', this.#close, { once: true })
    }
  }

  async upToDate(): Promise<void> {
    // The list may rest, and timers of the clock keep no process alive: here somebody waits.
    const alive = setInterval(() => undefined, LONGEST_MS)
    try {
      await this.#indexer?.upToDate()
    } finally {
      clearInterval(alive)
    }
  }

  get size(): number {
    return this.#shelves?.catalogue.size ?? 0
  }

  get progress(): SearchProgress {
    return this.#indexer?.progress ?? this.#last
  }

  get(uri: string): SearchHit | undefined {
    const entry = this.#shelves?.catalogue.get(uriKey(uri))
    return entry && plainHit(entry)
  }

  search(query: string, filters: SearchFilters & { readonly limit?: number } = {}): readonly SearchHit[] {
    const limit = requireCount('limit', filters.limit ?? LIMIT, 0)
    const catalogue = this.#shelves?.catalogue
    if (catalogue === undefined) return []
    const admits = filterOf(filters)
    const hits: SearchHit[] = []
    if (query.trim() === '') {
      for (const entry of catalogue.entries()) {
        if (hits.length >= limit) break
        if (admits(entry)) hits.push(plainHit(entry))
      }
      return hits
    }
    for (const { id, score, terms, fields } of catalogue.search(query, admits, limit)) {
      const entry = catalogue.get(id)
      if (entry !== undefined) hits.push({ resource: entry.resource, kind: entry.kind, score, terms, fields })
    }
    return hits
  }

  templates(query: string, filters: Pick<SearchFilters, 'server'> & { readonly limit?: number } = {}): readonly TemplateHit[] {
    const limit = requireCount('limit', filters.limit ?? LIMIT, 0)
    return this.#shelves?.templates.search(query, { ...filters, limit }) ?? []
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#close)
    const indexer = this.#indexer
    if (indexer !== undefined) {
      this.#last = indexer.progress
      // Whoever keeps the search keeps nothing of what was indexed.
      this.#indexer = undefined
      this.#shelves = undefined
      this.#closing = indexer.close()
    }
    return this.#closing
  }
}

function plainHit({ resource, kind }: Entry): SearchHit {
  return { resource, kind, score: 0, terms: [], fields: [] }
}
