import { cache, createLibrary, localCall } from '../../src/index.ts'
import type { CacheOptions, Call, Principal, Provider, Reading, ReadRequest, ReadResult } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { call } from './reading.ts'

export const as = (id: string, more: Partial<Principal> = {}): Call =>
  localCall({ principal: { id, kind: 'authenticated', scopes: [], claims: {}, ...more } })

/** A provider that counts what it is asked, and answers a read with `answer`. */
export function counted(answer: (request: ReadRequest, call: Call) => ReadResult | Promise<ReadResult>) {
  const asked: string[] = []
  const provider: Provider = {
    name: 'p',
    prefixes: ['x:'],
    list: async ({ limit }) => {
      asked.push(`list ${limit}`)
      return { items: [{ uri: 'x:1', name: 'one', _meta: { tags: ['a'] } }] }
    },
    templates: async () => {
      asked.push('templates')
      return { items: [] }
    },
    stat: async ({ uri }) => {
      asked.push(`stat ${uri}`)
      return { resource: { uri, name: 'one' }, hint: { ttlMs: 50, cacheScope: 'private' } }
    },
    children: async ({ uri }) => {
      asked.push(`children ${uri}`)
      return { items: [] }
    },
    complete: async ({ prefix }) => {
      asked.push(`complete ${prefix}`)
      return { values: [`${prefix}1`] }
    },
    read: async (request, inside) => {
      asked.push(`read ${request.uri}`)
      return answer(request, inside)
    },
  }
  return { provider, asked }
}

export const text = (uri: string, body: string, more: Partial<Reading> = {}): Reading => ({
  kind: 'contents',
  contents: [{ uri, text: body }],
  ...more,
})

/** A cache of 100 ms round such a provider, in a Library. */
export function cachedShelf(answer: Parameters<typeof counted>[0], options: CacheOptions = {}) {
  const clock = createFakeClock()
  const { provider, asked } = counted(answer)
  const library = createLibrary({ name: 'acme', changeWindowMs: 0 })
    .mount(provider)
    .use(cache({ ttlMs: 100, clock, ...options }))
  const read = (uri = 'x:1', more: Partial<ReadRequest> = {}, by: Call = call) =>
    library.read({ uri, maxBytes: 1_000, ...more }, by)
  return { clock, asked, library, read }
}

export const body = async (work: Promise<ReadResult>): Promise<unknown> => {
  const result = await work
  const [first] = result.kind === 'contents' ? result.contents : []
  return first !== undefined && 'text' in first ? first.text : result
}
