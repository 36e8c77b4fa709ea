import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localCall } from '../../library/index.ts'
import type { Provider } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { META_SERVER } from '../../protocol/index.ts'
import { memory } from '../../providers/memory/index.ts'
import { KINDS, kindOf } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { SearchFilters } from './filters.ts'
import { filterOf } from './filters.ts'
import { openSearch } from './index.ts'
import type { ResourceSearch } from './index.ts'

const call = localCall()
const WORDS = ['apple', 'apples', 'bread', 'cheese', 'date', 'egg', 'fig', 'userName', 'user_id', 'été', '本屋', '__proto__']
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((some) => some.join(' '))

describe('openSearch()', () => {
  const step = fc.oneof(
    fc.record({ add: fc.nat(12), title: words, text: words }),
    fc.record({ update: fc.nat(12), title: words, text: words }),
    fc.record({ remove: fc.nat(12) }),
    fc.constant('wait' as const),
  )
  const found = (search: ResourceSearch): unknown =>
    WORDS.map((word) =>
      search
        .search(`${word} bred`, { limit: 100 })
        .map(({ resource, score, terms, fields }) => [
          resource.uri,
          resource.title,
          Number(score.toPrecision(6)),
          terms.toSorted().join(),
          fields,
        ])
        .toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    )

  it('finds after any changes what an index that is built anew finds', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const provider = memory()
        await using search = await openSearch(provider, call)
        for (const one of steps) {
          try {
            if (one === 'wait') await search.upToDate()
            else if ('add' in one) provider.add({ uri: `x:${one.add}`, title: one.title, text: one.text })
            else if ('update' in one) provider.update(`x:${one.update}`, { title: one.title, text: one.text })
            else provider.remove(`x:${one.remove}`)
          } catch {
            // What is there already, or is not there, changes nothing.
          }
        }
        await search.upToDate()
        await using anew = await openSearch(provider, call)
        await anew.ready
        expect(search.size).toBe(anew.size)
        expect(found(search)).toEqual(found(anew))
        expect(search.progress).toEqual(anew.progress)
      }),
      { numRuns: 60 },
    ))
})

describe('filterOf()', () => {
  const resource = fc
    .record({
      server: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      scheme: fc.constantFrom('file', 'File', 'git'),
      path: fc.constantFrom('/docs', '/docs/a.md', '/docs2/b.png', '/docs/c.ts?q', '/d'),
      size: fc.option(fc.nat(20), { nil: undefined }),
      audience: fc.option(fc.subarray(['user', 'assistant'] as const, { minLength: 1 }), { nil: undefined }),
      lastModified: fc.option(fc.constantFrom('2026-01-01T00:00:00Z', '2026-06-01', 'never'), { nil: undefined }),
    })
    .map(({ server, scheme, path, size, audience, lastModified }): Resource => {
      const uri = `${server === undefined ? '' : `${server}+`}${scheme}://${path}`
      const annotations = { ...(audience && { audience }), ...(lastModified !== undefined && { lastModified }) }
      const meta = server === undefined ? {} : { _meta: { [META_SERVER]: server } }
      return { uri, name: path, annotations, ...(size !== undefined && { size }), ...meta }
    })
  const filters: fc.Arbitrary<SearchFilters> = fc.record(
    {
      server: fc.constantFrom('a', 'b', 'c'),
      scheme: fc.constantFrom('file', 'GIT', 'x'),
      kinds: fc.subarray(Object.keys(KINDS) as Kind[]),
      audience: fc.constantFrom('user' as const, 'assistant' as const),
      maxSize: fc.nat(20),
      modifiedAfter: fc.constantFrom('2026-01-01', '2026-03-01T00:00:00Z'),
      prefix: fc.constantFrom('file:///docs', 'file:', 'a+', 'git:///d', 'file:///docs/'),
    },
    { requiredKeys: [] },
  )

  /** Each said once more, as the documentation says it. */
  const plainly = (one: Resource, f: SearchFilters): boolean => {
    const uri = one.uri
    const own = uri.replace(/^[ab]\+/, '')
    const time = new Date(one.annotations?.lastModified ?? 'none').getTime()
    return [
      f.server === undefined || one._meta?.[META_SERVER] === f.server,
      f.scheme === undefined || own.toLowerCase().startsWith(`${f.scheme.toLowerCase()}:`),
      f.kinds === undefined || f.kinds.some((kind) => kind === kindOf(one)),
      f.audience === undefined ||
        one.annotations?.audience === undefined ||
        one.annotations.audience.some((who) => who === f.audience),
      f.maxSize === undefined || (one.size ?? 0) <= f.maxSize,
      f.modifiedAfter === undefined || time >= new Date(f.modifiedAfter).getTime(),
      f.prefix === undefined ||
        uri === f.prefix ||
        (/[/:+]$/.test(f.prefix) ? uri.startsWith(f.prefix) : ['/', '?', '#'].some((next) => uri.startsWith(f.prefix + next))),
    ].every(Boolean)
  }

  it('leaves what a plain scan leaves', () => {
    fc.assert(
      fc.property(resource, filters, (one, some) => {
        expect(filterOf(some)({ resource: one, kind: kindOf(one) })).toBe(plainly(one, some))
      }),
      { numRuns: 1_000 },
    )
  })

  it('leaves the same in an index, with a query and without', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(resource, { selector: ({ uri }) => uri.toLowerCase(), maxLength: 20 }),
        filters,
        async (items, some) => {
          const provider: Provider = {
            name: 'p',
            prefixes: 'any',
            list: async () => ({ items }),
            read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
          }
          await using search = await openSearch(provider, call)
          await search.ready
          const uris = (hits: readonly { readonly resource: Resource }[]): string[] =>
            hits.map((one) => one.resource.uri).toSorted()
          const wanted = items
            .filter((one) => plainly(one, some))
            .map(({ uri }) => uri)
            .toSorted()
          expect(uris(search.search('', { ...some, limit: 100 }))).toEqual(wanted)
          const named = wanted.filter((uri) => uri.includes('docs'))
          expect(uris(search.search('docs', { ...some, limit: 100 }))).toEqual(named)
        },
      ),
      { numRuns: 100 },
    ))

  it('leaves nothing after a time that is none', () => {
    const one = { resource: { uri: 'x:1', name: '', annotations: { lastModified: '2026-01-01' } }, kind: 'text' as const }
    expect(filterOf({ modifiedAfter: 'soon' })(one)).toBe(false)
  })
})
