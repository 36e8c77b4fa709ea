import { notFound, ShelfError } from '../errors.ts'
import type { Notice } from '../library/index.ts'
import type { Resource } from '../protocol/index.ts'
import { DIRECTORY_TYPE } from '../protocol/index.ts'
import type { Asking } from './ask.ts'
import { factsOf } from './ask.ts'
import { childrenPage, resourcesPage } from './list-page.ts'
import type { AskOptions } from './options.ts'
import { walkPages } from './walk-pages.ts'

/**
 * The direct children of a directory. A server that does not declare directories is asked for its whole list, and what
 * lies deeper is seen by the paths: such a directory is an item of the type `inode/directory` that cannot be read.
 *
 * @throws ShelfError `not-found` for what has no children
 */
export async function* children(
  asking: Asking,
  uri: string,
  options: AskOptions,
  notice: (notice: Notice) => void,
): AsyncGenerator<Resource, void, undefined> {
  const { directories } = await factsOf(asking, options.signal)
  if (directories) {
    try {
      yield* walkPages<Resource>({
        page: (cursor) => childrenPage(asking, uri, { ...options, ...(cursor !== undefined && { cursor }) }),
        id: (item) => item.uri,
        notice,
      })
      return
    } catch (error) {
      if (!ShelfError.is(error, 'method-not-found')) throw error
      notice({ level: 'warning', message: 'The server declares directories and does not answer for them; seen by paths instead' })
    }
  }
  yield* byPaths(asking, uri, options, notice)
}

async function* byPaths(
  asking: Asking,
  uri: string,
  options: AskOptions,
  notice: (notice: Notice) => void,
): AsyncGenerator<Resource, void, undefined> {
  const under = uri.endsWith('/') ? uri : `${uri}/`
  const folders = new Set<string>()
  let found = false
  const all = walkPages<Resource>({
    page: (cursor) => resourcesPage(asking, { ...options, ...(cursor !== undefined && { cursor }) }),
    id: (item) => item.uri,
    notice,
  })
  for await (const resource of all) {
    if (!resource.uri.startsWith(under)) continue
    found = true
    const rest = resource.uri.slice(under.length)
    const slash = rest.indexOf('/')
    if (slash < 0) {
      if (rest !== '') yield resource
      continue
    }
    const name = rest.slice(0, slash)
    if (folders.has(name)) continue
    folders.add(name)
    yield { uri: under + name, name, mimeType: DIRECTORY_TYPE }
  }
  if (!found) throw notFound(uri)
}
