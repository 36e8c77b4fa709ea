import { notFound, ShelfError } from '../errors.ts'
import type { CacheHint, Resource, UncheckedObject } from '../protocol/index.ts'
import { RESOURCES_STAT, UNCACHED } from '../protocol/index.ts'
import { uriKey } from '../uri/index.ts'
import type { Asking } from './ask.ts'
import { ask, completeResult, factsOf, hintOf } from './ask.ts'
import { nameOf, NoticeList, readItems } from './items.ts'
import { resourcesPage } from './list-page.ts'
import type { AskOptions } from './options.ts'
import { read } from './read.ts'
import { walkPages } from './walk-pages.ts'

/** What is known of a resource without its body. */
export interface ClientStat {
  readonly resource: Resource
  readonly version?: string
  readonly hint: CacheHint
  /** How it was learnt: by `dev.shelfmark/stat`, out of the list, or by reading it. */
  readonly by: 'stat' | 'list' | 'read'
}

/** So many listed resources are looked through before one is read instead. */
const MOST_LOOKED_AT = 10_000

/**
 * What a resource is: from a server that has no stat, what its list says, and of one that is not listed, what a read
 * of it shows.
 *
 * @throws ShelfError `not-found`
 */
export async function stat(asking: Asking, uri: string, options: AskOptions): Promise<ClientStat> {
  const { extension } = await factsOf(asking, options.signal)
  if (extension.stat) {
    try {
      return await askStat(asking, uri, options)
    } catch (error) {
      // Some servers declare what they do not answer.
      if (!ShelfError.is(error, 'method-not-found')) throw error
    }
  }
  return (await listed(asking, uri, options)) ?? byReading(asking, uri, options)
}

async function askStat(asking: Asking, uri: string, options: AskOptions): Promise<ClientStat> {
  const { method } = RESOURCES_STAT
  const result = completeResult(await ask(asking, { method, uri, params: { uri } }, options), method)
  const [resource] = readItems<Resource>([result['resource']], 'uri', new NoticeList())
  if (resource === undefined)
    throw new ShelfError('invalid-answer', `The server answered ${method} without a resource`, { method })
  return { resource, ...versionOf(result), hint: hintOf(result), by: 'stat' }
}

function versionOf({ version }: UncheckedObject): { version?: string } {
  return typeof version === 'string' ? { version } : {}
}

async function listed(asking: Asking, uri: string, options: AskOptions): Promise<ClientStat | undefined> {
  const key = uriKey(uri)
  let left = MOST_LOOKED_AT
  const walk = walkPages<Resource>({
    page: (cursor) => resourcesPage(asking, { ...options, ...(cursor !== undefined && { cursor }) }),
    id: (item) => item.uri,
    notice: () => undefined,
  })
  for await (const resource of walk) {
    if (resource.uri === uri || uriKey(resource.uri) === key) return { resource, hint: UNCACHED, by: 'list' }
    if (--left === 0) return undefined
  }
  return undefined
}

async function byReading(asking: Asking, uri: string, options: AskOptions): Promise<ClientStat> {
  const reading = await read(asking, uri, options)
  const [first, another] = reading.kind === 'contents' ? reading.contents : []
  if (reading.kind !== 'contents' || first === undefined) throw notFound(uri)
  const size = first.bytes?.length ?? new TextEncoder().encode(first.text).length
  const resource: Resource = {
    uri,
    name: nameOf(uri),
    ...(first.mimeType !== undefined && { mimeType: first.mimeType }),
    ...(another === undefined && { size }),
  }
  return { resource, ...(reading.version !== undefined && { version: reading.version }), hint: reading.hint, by: 'read' }
}
