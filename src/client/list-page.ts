import { ShelfError } from '../errors.ts'
import type { Resource, ResourceTemplate } from '../protocol/index.ts'
import { DIRECTORY_READ, RESOURCES_LIST, TEMPLATES_LIST, UNCACHED } from '../protocol/index.ts'
import type { Asking } from './ask.ts'
import { ask, completeResult, factsOf, hintOf, noticesOf } from './ask.ts'
import type { Fetched } from './cached-results.ts'
import { NoticeList, readItems } from './items.ts'
import type { AskOptions } from './options.ts'
import type { ListPage } from './walk-pages.ts'

export interface PageOptions extends AskOptions {
  /** `nextCursor` of the page before; absent for the first. */
  readonly cursor?: string
}

/** A kind of list: its method, where the items are, and what a server that has none of it need not be asked. */
interface ListKind<T> {
  readonly method: string
  readonly member: string
  readonly key: T extends Resource ? 'uri' : 'uriTemplate'
}

const RESOURCES: ListKind<Resource> = { method: RESOURCES_LIST.method, member: 'resources', key: 'uri' }
const TEMPLATES: ListKind<ResourceTemplate> = { method: TEMPLATES_LIST.method, member: 'resourceTemplates', key: 'uriTemplate' }
const CHILDREN: ListKind<Resource> = { method: DIRECTORY_READ.method, member: 'resources', key: 'uri' }

const EMPTY: ListPage<never> = { items: [], notices: [], hint: UNCACHED, stale: false }

/** A page of `resources/list`; empty for a server that has no resources, or not the method. */
export async function resourcesPage(asking: Asking, options: PageOptions): Promise<ListPage<Resource>> {
  const { resources } = await factsOf(asking, options.signal)
  return resources ? orEmpty(listPage(asking, RESOURCES, {}, undefined, options)) : EMPTY
}

/** A page of `resources/templates/list`, in the same way. */
export async function templatesPage(asking: Asking, options: PageOptions): Promise<ListPage<ResourceTemplate>> {
  const { resources } = await factsOf(asking, options.signal)
  return resources ? orEmpty(listPage(asking, TEMPLATES, {}, undefined, options)) : EMPTY
}

/** A page of `resources/directory/read`; a server that does not declare directories is not asked (ext-skills). */
export async function childrenPage(asking: Asking, uri: string, options: PageOptions): Promise<ListPage<Resource>> {
  const { directories } = await factsOf(asking, options.signal)
  const { method } = CHILDREN
  if (!directories) throw new ShelfError('method-not-found', 'The server has no directories', { method })
  return listPage(asking, CHILDREN, { uri }, uri, options)
}

/** Some servers announce what they do not answer; there is nothing then. */
async function orEmpty<T>(page: Promise<ListPage<T>>): Promise<ListPage<T>> {
  try {
    return await page
  } catch (error) {
    if (ShelfError.is(error, 'method-not-found')) return EMPTY
    throw error
  }
}

async function listPage<T extends Resource | ResourceTemplate>(
  asking: Asking,
  kind: ListKind<T>,
  fixed: { readonly uri?: string },
  uri: string | undefined,
  options: PageOptions,
): Promise<ListPage<T>> {
  const { cursor, signal, fresh, timeoutMs, onProgress } = options
  const params = { ...fixed, ...(cursor !== undefined && { cursor }) }
  const page = asking.results.get<ListPage<T>>({
    key: `${kind.method} ${JSON.stringify(params)}`,
    fresh,
    signal,
    timeoutMs,
    alone: onProgress !== undefined,
    fetch: async (shared) => {
      const request = { method: kind.method, params, uri }
      const result = completeResult(await ask(asking, request, { ...options, signal: shared }), kind.method)
      const notices = new NoticeList()
      const items = readItems<T>(result[kind.member], kind.key, notices)
      const next = result['nextCursor']
      if (next !== undefined && next !== null && typeof next !== 'string')
        notices.warn('nextCursor is no text; the list ends here')
      const value: ListPage<T> = {
        items,
        ...(typeof next === 'string' && { nextCursor: next }),
        notices: [...noticesOf(result), ...notices.told],
        hint: hintOf(result),
        stale: false,
      }
      return { value, hint: value.hint, size: () => 2 * JSON.stringify(items).length } satisfies Fetched<ListPage<T>>
    },
  })
  try {
    return await page
  } catch (error) {
    // All pages are of a list that is no longer (server/utilities/caching, Interaction with Pagination).
    if (ShelfError.is(error, 'invalid-cursor')) asking.results.invalidate()
    throw error
  }
}
