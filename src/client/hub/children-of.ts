import { ShelfError } from '../../errors.ts'
import type { Call, ChildrenRequest, Page, Position } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { isObject } from '../../protocol/index.ts'
import type { HubServer } from './server.ts'

/** Of a directory that is seen by paths, so many children are given. */
const MOST_BY_PATHS = 10_000

/** Where the children go on: after a cursor of the server and so many of its page, or after so many seen by paths. */
interface Place {
  readonly cursor: string | undefined
  readonly skip: number
}

/** A page of the children of a directory of one server. */
export async function childrenOf(
  server: HubServer,
  inner: string,
  request: ChildrenRequest,
  call: Call,
): Promise<Page<Resource>> {
  const { after, limit } = request
  const { cursor, skip } = after === undefined ? { cursor: undefined, skip: 0 } : placeOf(after)
  const page = await pageAt(server, inner, cursor, call)
  const items = page.items.slice(skip, skip + limit).map((item) => server.resource(item))
  const end = skip + items.length
  const next = end < page.items.length ? { ...(cursor !== undefined && { cursor }), skip: end } : page.next
  return { items, ...(next !== undefined && { next }) }
}

async function pageAt(server: HubServer, inner: string, cursor: string | undefined, { signal }: Call) {
  try {
    const page = await server.client.childrenPage(inner, { signal, ...(cursor !== undefined && { cursor }) })
    const { nextCursor } = page
    return { items: page.items, next: nextCursor === undefined || nextCursor === cursor ? undefined : { cursor: nextCursor } }
  } catch (error) {
    if (!ShelfError.is(error, 'method-not-found')) throw error
    const items: Resource[] = []
    for await (const item of server.client.children(inner, { signal, onNotice: () => undefined })) {
      items.push(item)
      if (items.length === MOST_BY_PATHS) break
    }
    return { items, next: undefined }
  }
}

function placeOf(after: Position): Place {
  const { cursor, skip = 0 } = isObject(after) ? after : {}
  if (typeof skip !== 'number' || (cursor !== undefined && typeof cursor !== 'string')) {
    throw new ShelfError('invalid-cursor', 'The place in the directory is not one of this Hub', {})
  }
  return { cursor, skip }
}
