import { notFound, ShelfError } from '../../errors.ts'
import { cutToRange, isName, refuseLarger, Register } from '../../library/index.ts'
import type { Call, Change, Page, PageRequest, Provider, Reading, ReadRequest, ReadResult, Watcher } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { canonicalUri, normalUri } from '../../uri/index.ts'
import { holdItem } from './held-item.ts'
import type { HeldItem } from './held-item.ts'
import type { MemoryBody, MemoryItem, MemoryOptions } from './options.ts'

/** A Provider of items held in memory, which may come, change and go while it is served. */
export type MemoryProvider = Provider &
  Required<Pick<Provider, 'stat' | 'watch'>> & {
    /** Adds an item at the end of the list. Throws `duplicate` if one with an equal URI is there, `invalid-uri` if it is none. */
    add(item: MemoryItem): void
    /** Gives an item a new body, and what else is in `change`; it keeps its place. Throws `not-found`. */
    update(uri: string, change: MemoryBody & Partial<Omit<MemoryItem, 'uri'>>): void
    /** Takes an item away; false if there is none. */
    remove(uri: string): boolean
  }

/**
 * Serves what it is given. URIs are compared in normal form; lists follow the order of addition, by positions that
 * survive additions and removals; a page's cost does not depend on how many items there are.
 * Every change is reported to the watcher, whichever URIs it was asked about.
 */
export function memory(options: MemoryOptions = {}): MemoryProvider {
  const name = options.name ?? 'memory'
  if (!isName(name)) {
    throw new ShelfError('invalid-option', `Wanted a name like [a-z][a-z0-9.-]*, got ${JSON.stringify(name)}; use lower case`, {
      option: 'name',
    })
  }
  const byKey = new Map<string, HeldItem>()
  const order = new Register<HeldItem>()
  const watchers = new Set<(change: Change) => void>()
  /** Versions of two runs are never equal. */
  const run = crypto.randomUUID().slice(0, 8)
  let changes = 0

  const nextVersion = () => `${run}-${(++changes).toString(36)}`
  const report = (change: Change) => {
    for (const watcher of watchers) watcher(change)
  }
  const find = (uri: string): HeldItem => {
    const item = findKey(uri)
    if (item === undefined) throw notFound(uri)
    return item
  }
  const findKey = (uri: string) => {
    const key = normalUri(uri)
    return key === undefined ? undefined : byKey.get(key)
  }
  const put = (item: MemoryItem) => {
    const key = canonicalUri(item.uri)
    const other = byKey.get(key)
    if (other !== undefined) {
      const first = other.resource.uri
      throw new ShelfError('duplicate', `${item.uri} is taken by ${first}; remove or update that`, { first, second: item.uri })
    }
    const held = holdItem(item, nextVersion())
    byKey.set(key, held)
    order.add(held)
  }

  for (const item of options.resources ?? []) put(item)

  return {
    name,
    prefixes: options.prefixes ?? 'any',
    list: async (request, call) => listItems(order, request, call),
    read: async (request) => readItem(find(request.uri), request),
    stat: async (request) => {
      const { resource, version } = find(request.uri)
      return { resource, version }
    },
    watch: async (onChange): Promise<Watcher> => {
      const watcher = (change: Change) => onChange(change)
      watchers.add(watcher)
      return {
        add: async () => {},
        remove: () => {},
        [Symbol.asyncDispose]: async () => void watchers.delete(watcher),
      }
    },
    add(item) {
      put(item)
      report({ kind: 'list' })
    },
    update(uri, change) {
      const old = find(uri)
      const { resource } = old
      const { size: _size, ...listed } = resource
      const item = holdItem({ ...listed, ...change, uri: resource.uri }, nextVersion())
      byKey.set(canonicalUri(resource.uri), item)
      order.replace(old, item)
      report({ kind: 'updated', uri: resource.uri, version: item.version })
      if (face(item.resource) !== face(resource)) report({ kind: 'list' })
    },
    remove(uri) {
      const item = findKey(uri)
      if (item === undefined) return false
      byKey.delete(canonicalUri(item.resource.uri))
      order.remove(item)
      report({ kind: 'updated', uri: item.resource.uri })
      report({ kind: 'list' })
      return true
    },
  }
}

/** What of a listed resource is more than a sign of new contents: all but its size and time. */
function face({ size: _size, annotations, ...rest }: Resource): string {
  const { lastModified: _time, ...kept } = annotations ?? {}
  return JSON.stringify({ ...rest, annotations: kept })
}

function listItems(order: Register<HeldItem>, request: PageRequest, call: Call): Page<Resource> {
  if (call.signal.aborted) throw new ShelfError('cancelled', 'Cancelled by the caller', {})
  const page = order.page(request)
  return { ...page, items: page.items.map((item) => item.resource) }
}

async function readItem(item: HeldItem, request: ReadRequest): Promise<ReadResult> {
  const { resource, version, body } = item
  if (request.ifVersion === version) return { kind: 'unchanged', version }
  const { uri, maxBytes } = request
  const about = { uri, ...(resource.mimeType === undefined ? {} : { mimeType: resource.mimeType }) }
  const contents = [typeof body === 'string' ? { ...about, text: body } : { ...about, bytes: body }]
  const whole: Reading = { kind: 'contents', contents, version }
  if (request.range !== undefined) return cutToRange(whole, request)
  refuseLarger(resource.size ?? 0, maxBytes)
  return whole
}
