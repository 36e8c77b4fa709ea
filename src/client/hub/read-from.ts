import { notFound, ShelfError } from '../../errors.ts'
import { refuseLargerContents } from '../../library/index.ts'
import type { Call, Contents, ReadRequest, ReadResult } from '../../library/index.ts'
import { UNCACHED } from '../../protocol/index.ts'
import type { ReadContents } from '../contents.ts'
import type { ClientReading } from '../client-reading.ts'
import type { ReadOptions } from '../read.ts'
import type { HubServer } from './server.ts'

/** A read of one of the servers, as a Provider gives it: questions are handed on, and so are their answers. */
export async function readFrom(server: HubServer, inner: string, request: ReadRequest, call: Call): Promise<ReadResult> {
  const { range, ifVersion, answers, maxBytes } = request
  const options = {
    signal: call.signal,
    ...(range && { range }),
    ...(ifVersion !== undefined && { ifVersion }),
    ...(call.progress && { onProgress: (done: number, total?: number) => call.progress?.(done, total) }),
  }
  const state = answers?.state
  const plain = range === undefined && ifVersion === undefined && answers === undefined
  const answer = plain
    ? await firstFrom(server, inner, options)
    : await server.client.readOnce(inner, {
        ...options,
        ...(answers && { answers: { responses: answers.responses, ...(typeof state === 'string' && { state }) } }),
      })
  if (answer.kind !== 'contents') return answer
  return readingOf(server, request.uri, answer, maxBytes)
}

/** From the cache if it may be; a server that asks first is asked in a way that lets its question through. */
async function firstFrom(server: HubServer, inner: string, options: Omit<ReadOptions, 'ifVersion'>) {
  try {
    return await server.client.read(inner, options)
  } catch (error) {
    if (!ShelfError.is(error, 'refused')) throw error
    return server.client.readOnce(inner, options)
  }
}

function readingOf(server: HubServer, uri: string, reading: ClientReading, maxBytes: number): ReadResult {
  const contents = reading.contents.map((one) => outerContents(server, one))
  if (contents.length === 0) throw notFound(uri)
  refuseLargerContents(contents, maxBytes)
  const { version, range, hint, stale } = reading
  return {
    kind: 'contents',
    contents,
    ...(version !== undefined && { version }),
    ...(range && { range }),
    hint: stale ? UNCACHED : hint,
  }
}

function outerContents(server: HubServer, one: ReadContents): Contents {
  return server.qualifier === '' ? one : { ...one, uri: server.outer(one.uri) }
}
