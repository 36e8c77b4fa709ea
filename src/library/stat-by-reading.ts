import { ShelfError } from '../errors.ts'
import type { Resource } from '../protocol/index.ts'
import type { ReadRequest, ReadResult, Stat } from './provider.ts'

/**
 * What a read of nothing tells of a resource; a body of more than nothing that is refused before it is read is there all
 * the same.
 *
 * @param resource what is known of it, of which a type and size are made good
 */
export async function statByReading(resource: Resource, read: (nothing: ReadRequest) => Promise<ReadResult>): Promise<Stat> {
  let result: ReadResult
  try {
    result = await read({ uri: resource.uri, range: { offset: 0, length: 0 }, maxBytes: 0 })
  } catch (error) {
    if (ShelfError.is(error, 'too-large')) return { resource }
    throw error
  }
  if (result.kind !== 'contents') return { resource }
  await result[Symbol.asyncDispose]?.()
  const { version, hint, range, contents } = result
  const mimeType = resource.mimeType ?? contents[0]?.mimeType
  return {
    resource: { ...resource, ...(mimeType !== undefined && { mimeType }), ...(range && { size: range.total }) },
    ...(version !== undefined && { version }),
    ...(hint && { hint }),
  }
}
