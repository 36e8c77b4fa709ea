import { ShelfError } from '../../src/errors.ts'
import { localCall } from '../../src/library/index.ts'
import type { Library } from '../../src/library/index.ts'

export const call = localCall()

/** What a library lists, in order. */
export async function uris(library: Library, limit = 1000): Promise<readonly string[]> {
  const page = await library.list({ limit }, call)
  return page.items.map((item) => item.uri)
}

/** The text of a read, or whatever came instead. */
export async function text(library: Library, uri: string): Promise<unknown> {
  const result = await library.read({ uri, maxBytes: 1000 }, call)
  if (result.kind !== 'contents') return result.kind
  const [first] = result.contents
  return first !== undefined && 'text' in first ? first.text : first
}

/** The ShelfError that something rejects or throws with. */
export async function failure(work: Promise<unknown> | (() => unknown)): Promise<ShelfError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (error instanceof ShelfError) return error
    throw error
  }
  throw new Error('expected a ShelfError')
}
