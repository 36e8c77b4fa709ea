import { describe, expect, it } from 'vitest'
import { notFound } from '../errors.ts'
import type { Provider, Reading } from '../library/index.ts'
import { memory } from '../providers/memory/index.ts'
import { createFakeClock, providerCases } from './index.ts'

const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => ({ uri: `x://${name}`, text: `text of ${name}` }))

/** The names of the cases that a provider fails, when `defect` is laid over a good one. */
async function failures(defect: (good: Provider) => Partial<Provider>): Promise<readonly string[]> {
  const failed: string[] = []
  const cases = providerCases(async () => {
    const good = memory({ prefixes: ['x://'], resources: ITEMS })
    let added = 0
    return {
      provider: { ...good, ...defect(good) },
      insert: async () => {
        const uri = `x://new${added++}`
        good.add({ uri, text: 'n' })
        return uri
      },
      remove: async (uri: string) => void good.remove(uri),
    }
  })
  for (const { name, run } of cases) await run().catch(() => failed.push(name.split(' ', 5).join(' ')))
  return failed
}

/** Replaces the list by one over positions that are counts. */
const byOffset = (good: Provider): Partial<Provider> => ({
  async list({ after, limit }, call) {
    const all = (await good.list({ limit: 1_000 }, call)).items
    const start = typeof after === 'number' ? after : 0
    const items = all.slice(start, start + limit)
    return start + limit < all.length ? { items, next: start + limit } : { items }
  },
})

describe('providerCases()', () => {
  it('providerCases() finds nothing wrong with a good provider', async () => {
    expect(await failures(() => ({}))).toEqual([])
  })

  it.each<[string, (good: Provider) => Partial<Provider>, readonly string[]]>([
    ['a name with a capital', () => ({ name: 'Bad' }), ['name and prefixes have their']],
    ['a prefix that does not cover', () => ({ prefixes: ['x://a'] }), ['name and prefixes have their']],
    ['positions that are counts', byOffset, ['list() positions survive deletions, of']],
    [
      'pages longer than asked for',
      (good) => ({ list: (request, call) => good.list({ ...request, limit: request.limit + 1 }, call) }),
      [
        'list() gives each resource once,',
        'list() promises more only when',
        'list() positions survive insertions',
        'list() positions survive deletions, of',
      ],
    ],
    [
      'a list that ignores the signal',
      (good) => ({ list: (request, call) => good.list(request, { ...call, signal: new AbortController().signal }) }),
      ['list() stops for a caller'],
    ],
    [
      'another URI than the one asked for',
      (good) => ({
        async read(request, call) {
          const result = await good.read(request, call)
          return result.kind === 'contents' ? { ...result, contents: [{ uri: 'x://a', text: '' }] } : result
        },
      }),
      ['read() reads all that is', 'read() keeps to maxBytes and', 'read() of part of a'],
    ],
    [
      'no limit',
      (good) => ({ read: (request, call) => good.read({ ...request, maxBytes: 1e9 }, call) }),
      ['read() keeps to maxBytes and'],
    ],
    [
      'an empty answer for what is not there',
      (good) => ({
        read: (request, call) => good.read(request, call).catch(() => ({ kind: 'contents' as const, contents: [] })),
      }),
      ['read() keeps to maxBytes and', 'read() of anything else is'],
    ],
    [
      'a not-found that names another URI',
      (good) => ({
        read: (request, call) =>
          good.read(request, call).catch((error: unknown) => {
            throw request.maxBytes < 100 ? error : notFound('x://other')
          }),
      }),
      ['read() of anything else is'],
    ],
    [
      'a version that never matches its own',
      (good) => ({ read: ({ uri, maxBytes }, call) => good.read({ uri, maxBytes }, call) }),
      ['read() says unchanged for a'],
    ],
    [
      'a part that is not called one',
      (good) => ({
        async read(request, call) {
          const result = await good.read(request, call)
          return result.kind === 'contents' ? { kind: 'contents', contents: result.contents } : result
        },
      }),
      ['read() of part of a'],
    ],
    [
      'a part of another place than the one it is called',
      (good) => ({
        async read(request, call) {
          const result = await good.read({ ...request, ...(request.range && { range: { offset: 0, length: 3 } }) }, call)
          return result.kind === 'contents' && result.range ? { ...result, range: { ...result.range, offset: 1 } } : result
        },
      }),
      ['read() of part of a'],
    ],
    [
      'a stream that gives all of itself for a part',
      (good) => ({
        async read(request, call) {
          const result = await good.read(request, call)
          const [only] = result.kind === 'contents' && request.range === undefined ? result.contents : []
          if (only === undefined || !('text' in only)) return result
          const bytes = new TextEncoder().encode(only.text)
          const open = async function* () {
            yield bytes
          }
          return { ...result, kind: 'contents', contents: [{ uri: only.uri, bytes: { size: bytes.length, open } }] } as Reading
        },
      }),
      [
        'read() reads all that is',
        'read() says unchanged for a',
        'read() keeps to maxBytes and',
        'read() of part of a',
        'read() settles for a caller',
      ],
    ],
    [
      'a stat that knows better',
      (good) => ({
        async stat(request, call) {
          const stat = await good.stat?.(request, call)
          if (stat === undefined) throw notFound(request.uri)
          return { ...stat, resource: { ...stat.resource, size: 1 } }
        },
      }),
      ['stat() agrees with list(), and'],
    ],
    [
      'one template twice',
      () => ({
        templates: async () => ({
          items: [
            { uriTemplate: 'x://{a}', name: 'a' },
            { uriTemplate: 'x://{a}', name: 'a' },
          ],
        }),
      }),
      ['templates() gives each template once,'],
    ],
    ['children of everything', () => ({ children: async () => ({ items: [] }) }), ['children() of what is no']],
    [
      'completion to what cannot be read',
      () => ({
        templates: async () => ({ items: [{ uriTemplate: 'x://{a}', name: 'a' }] }),
        complete: async () => ({ values: ['nowhere'] }),
      }),
      ['complete() gives values that lead'],
    ],
    [
      'a watch that sees nothing',
      () => ({ watch: async () => ({ add: async () => {}, remove: () => {}, [Symbol.asyncDispose]: async () => {} }) }),
      ['watch() arms and disarms'],
    ],
  ])('providerCases() finds %s', { timeout: 30_000 }, async (_name, defect, expected) => {
    expect(await failures(defect)).toEqual(expected)
  })

  it('providerCases() finds a position after the last item', async () => {
    const failed = await failures((good) => ({
      async list(request, call) {
        const page = await good.list(request, call)
        return page.items.length === 0 ? page : { next: 1_000, ...page }
      },
    }))
    expect(failed).toContain('list() promises more only when')
  })

  it('providerCases() says what was wanted and what came', async () => {
    const [first] = providerCases(async () => ({ provider: { ...memory({ resources: ITEMS }), name: 'Bad' } }))
    await expect(first?.run()).rejects.toThrow('Wanted a name like [a-z][a-z0-9.-]*, got "Bad"')
  })

  it('providerCases() disposes the provider and the fixture, also when a case fails', async () => {
    const disposed: string[] = []
    const provider = {
      ...memory({ resources: ITEMS }),
      name: 'Bad',
      [Symbol.asyncDispose]: async () => void disposed.push('provider'),
    }
    const [first] = providerCases(async () => ({ provider, dispose: async () => void disposed.push('fixture') }))
    await expect(first?.run()).rejects.toThrow('Wanted')
    expect(disposed).toEqual(['provider', 'fixture'])
  })
})

describe('createFakeClock()', () => {
  it('createFakeClock() calls back in order of time, each at its own', () => {
    const clock = createFakeClock(1_000)
    const seen: (string | number)[] = []
    clock.after(20, () => seen.push('b', clock.monotonic()))
    clock.after(10, () => {
      seen.push('a', clock.monotonic())
      clock.after(5, () => seen.push('a2', clock.monotonic()))
    })
    const cancel = clock.after(15, () => seen.push('never'))
    expect(clock.pending).toBe(3)
    cancel()
    clock.advance(9)
    expect(seen).toEqual([])
    clock.advance(11)
    expect(seen).toEqual(['a', 10, 'a2', 15, 'b', 20])
    expect([clock.monotonic(), clock.wall(), clock.pending]).toEqual([20, 1_020, 0])
    clock.setWall(5)
    clock.advance(1)
    expect([clock.monotonic(), clock.wall()]).toEqual([21, 6])
  })
})
