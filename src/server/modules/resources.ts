import { ShelfError } from '../../errors.ts'
import type { Call, Exchange, Library, Method, MethodModule, Page, PageRequest, RefCompletion } from '../../library/index.ts'
import { topicFilter, within } from '../../library/index.ts'
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
import { asAbsent } from '../absent.ts'
import type { Data } from '../access.ts'
import { contentsOutcome } from '../contents.ts'
import { readExtras, tellExtras, unchangedOutcome } from '../extended-read.ts'

/** How many URIs of one listener are looked at side by side. */
const ABREAST = 16

/** How long it may take to find out whether one of them is there, in milliseconds; after that it is not listened to. */
const LOOK_MS = 5_000

/**
 * Resources of a Library: list, templates, read, completion of template variables, changes (server/resources).
 *
 * @param extended whether reads take ranges and versions
 */
export function resourcesModule(library: Library, data: Data, extended: boolean): MethodModule {
  const list = listMethod(data, RESOURCES_LIST, 'resources', (request, call) => data.list(request, call))
  const templates = listMethod(data, TEMPLATES_LIST, 'resourceTemplates', (request, call) => data.templates(request, call))
  const read: Method = {
    descriptor: RESOURCES_READ,
    handle: (params, exchange) => readResource(data, params, exchange, extended),
  }
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
              if (!library.tells(uri) || !(await within(mayHear(library, data, uri, exchange), LOOK_MS))) return false
              return await interest.uri(uri)
            } catch (error) {
              // One source that hangs, or that answers with whatever error, does not cost the caller the others.
              if (error instanceof ShelfError) return false
              throw error
            }
          }
          const taken: string[] = []
          for (let from = 0; from < value.length && interest.room > 0 && !exchange.signal.aborted;) {
            const some = value.slice(from, from + Math.min(ABREAST, interest.room))
            from += some.length
            const answers = await Promise.all(some.map(isTaken))
            taken.push(...some.filter((_uri, index) => answers[index]))
          }
          return taken
        },
      },
    ],
  }
}

function listMethod<T extends Resource | ResourceTemplate>(
  data: Data,
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
        hint: data.listHint,
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

async function readResource(data: Data, params: UncheckedObject, exchange: Exchange, extended: boolean) {
  const uri = stringParam(params, 'uri')
  const extras = extended ? readExtras(params) : undefined
  const { answers, maxRead: maxBytes, revision } = exchange
  const request = extras === undefined ? { uri, maxBytes } : { uri, maxBytes, ...extras }
  let result
  try {
    result = await data.read(answers === undefined ? request : { ...request, answers }, exchange)
  } catch (error) {
    throw asAbsent(error, uri)
  }
  if (result.kind === 'input-required') return result
  const ifVersion = extras?.ifVersion
  if (ifVersion !== undefined && (result.kind === 'unchanged' || result.version === ifVersion)) {
    if (result.kind === 'contents') await result[Symbol.asyncDispose]?.()
    return unchangedOutcome(ifVersion)
  }
  if (result.kind === 'unchanged')
    throw new ShelfError('internal', `${uri} was answered as unchanged to a read without a version`, {})
  try {
    if (result.contents.length === 0) throw new ShelfError('internal', `${uri} was answered with no contents`, {})
    return contentsOutcome(result, revision, maxBytes, extended ? tellExtras(result, extras) : undefined)
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
