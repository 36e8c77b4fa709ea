import { notFound, ShelfError } from '../../errors.ts'
import type { Call, Exchange, Library, Method, MethodModule, Page, PageRequest, RefCompletion } from '../../library/index.ts'
import { topicFilter } from '../../library/index.ts'
import type { MethodDescriptor, Resource, ResourceTemplate, UncheckedObject } from '../../protocol/index.ts'
import {
  isStrings,
  RESOURCES_CHANGED,
  RESOURCES_LIST,
  RESOURCES_READ,
  shapeItems,
  stringParam,
  TEMPLATES_LIST,
} from '../../protocol/index.ts'
import type { Data } from '../access.ts'
import { contentsOutcome } from '../contents.ts'

/** Resources of a Library: list, templates, read, completion of template variables, changes (server/resources). */
export function resourcesModule(library: Library, data: Data): MethodModule {
  const list = listMethod(library, RESOURCES_LIST, 'resources', (request, call) => data.list(request, call))
  const templates = listMethod(library, TEMPLATES_LIST, 'resourceTemplates', (request, call) => data.templates(request, call))
  const read: Method = { descriptor: RESOURCES_READ, handle: (params, exchange) => readResource(data, params, exchange) }
  return {
    name: 'resources',
    methods: [list, templates, read],
    capabilities: () => (library.isEmpty ? {} : { resources: { listChanged: true, subscribe: library.watches } }),
    completes: { type: 'ref/resource', complete: (request, exchange) => completeTemplate(data, request, exchange) },
    listens: [
      topicFilter('resourcesListChanged', RESOURCES_CHANGED.method),
      {
        key: 'resourceSubscriptions',
        accept: async (value, exchange, interest) => {
          if (!isStrings(value))
            throw new ShelfError('invalid-params', 'resourceSubscriptions must be an array of URIs', { param: 'notifications' })
          const isTaken = async (uri: string): Promise<boolean> => {
            try {
              return library.tells(uri) && (await mayHear(library, data, uri, exchange)) && (await interest.uri(uri))
            } catch (error) {
              // One source that cannot be asked now does not cost the caller the others.
              if (ShelfError.is(error, 'unavailable') || ShelfError.is(error, 'timeout') || ShelfError.is(error, 'busy'))
                return false
              throw error
            }
          }
          const taken: string[] = []
          for (const uri of value) {
            if (interest.full || exchange.signal.aborted) break
            if (await isTaken(uri)) taken.push(uri)
          }
          return taken
        },
      },
    ],
  }
}

function listMethod<T extends Resource | ResourceTemplate>(
  library: Library,
  descriptor: MethodDescriptor,
  member: string,
  fetch: (request: PageRequest, call: Call) => Promise<Page<T>>,
): Method {
  return {
    descriptor,
    handle: (params, exchange) =>
      exchange.listing(params, {
        query: descriptor.method,
        member,
        hint: library.listHint,
        fetch: (request) => fetch(request, exchange),
        shape: (items) => shapeItems(items, exchange.revision),
      }),
  }
}

/** Whether there is such a resource, and this caller may hear of it. */
export async function mayHear(library: Library, data: Data, uri: string, exchange: Exchange): Promise<boolean> {
  if (!exchange.allows('subscribe', uri) || !library.delivers({ kind: 'updated', uri }, exchange)) return false
  try {
    await data.stat({ uri }, exchange)
    return true
  } catch (error) {
    if (ShelfError.is(error, 'not-found')) return false
    throw error
  }
}

async function readResource(data: Data, params: UncheckedObject, exchange: Exchange) {
  const uri = stringParam(params, 'uri')
  const { answers, maxRead: maxBytes } = exchange
  const request = answers === undefined ? { uri, maxBytes } : { uri, maxBytes, answers }
  let result
  try {
    result = await data.read(request, exchange)
  } catch (error) {
    // Whatever the provider called it: the caller is told about the URI it sent.
    throw ShelfError.is(error, 'not-found') || ShelfError.is(error, 'invalid-uri') ? notFound(uri) : error
  }
  if (result.kind === 'input-required') return result
  if (result.kind === 'unchanged')
    throw new ShelfError('internal', `${uri} was answered as unchanged to a read without a version`, {})
  try {
    if (result.contents.length === 0) throw new ShelfError('internal', `${uri} was answered with no contents`, {})
    return contentsOutcome(result, exchange.revision, exchange.maxRead)
  } catch (error) {
    await result[Symbol.asyncDispose]?.()
    throw error
  }
}

async function completeTemplate(data: Data, request: RefCompletion, exchange: Exchange) {
  const template = request.ref['uri']
  if (typeof template !== 'string') throw new ShelfError('invalid-params', 'params.ref.uri must be a string', { param: 'ref' })
  try {
    return await data.complete({ ...request, template }, exchange)
  } catch (error) {
    if (!ShelfError.is(error, 'not-found')) throw error
    throw new ShelfError('invalid-params', 'params.ref.uri is no template of this server, nor a URI that one of them matches', {
      param: 'ref',
    })
  }
}
