import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notFound, ShelfError } from '../../errors.ts'
import { createFakeClock } from '../../testing/index.ts'
import type { Call } from '../call.ts'
import { localCall } from '../call.ts'
import { cutToRange } from '../cut-to-range.ts'
import { createLibrary } from '../library.ts'
import type { Provider, ReadResult } from '../provider.ts'
import { cache } from './cache.ts'

const URIS = ['x:1', 'x:2', 'x:2/a'] as const
const PEOPLE = ['ann', 'bob'] as const

const as = (id: string, allows: (uri: string) => boolean = () => true): Call => ({
  ...localCall({ principal: { id, kind: 'authenticated', scopes: [], claims: {} } }),
  allows: (_, uri) => allows(uri),
})

/** What an operation came to, errors too, in a form that can be compared. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return withoutTtl(await work)
  } catch (error) {
    return ShelfError.from(error).code
  }
}

/** An answer out of a cache says a shorter time. */
function withoutTtl(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result, (name, value: unknown) => (name === 'ttlMs' ? undefined : value)))
}

interface Step {
  readonly kind: 'read' | 'stat' | 'list' | 'advance' | 'write' | 'remove'
  readonly uri: string
  readonly who: string
  readonly range?: { readonly offset: number }
}

const anyUri = fc.constantFrom(...URIS)
const who = fc.constantFrom(...PEOPLE)
const offset = fc.record({ offset: fc.nat(3) })
const kinds = ['read', 'read', 'read', 'stat', 'list', 'advance', 'write', 'remove'] as const
const step = fc.record<Step>(
  { kind: fc.constantFrom(...kinds), uri: anyUri, who, range: offset },
  { requiredKeys: ['kind', 'uri', 'who'] },
)

/** Resources that hold the number of writes there were before them, which never goes back. */
function numbered() {
  const held = new Map<string, number>(URIS.map((one) => [one, 0]))
  let writes = 0
  const of = (uri: string): number => held.get(uri) ?? -1
  const provider: Provider = {
    name: 'p',
    prefixes: ['x:'],
    list: async () => ({ items: [...held].map(([one, size]) => ({ uri: one, name: 'x', size })) }),
    stat: async ({ uri: asked }, { principal }) => {
      if (!held.has(asked)) throw notFound(asked)
      return { resource: { uri: asked, name: principal.id, size: of(asked) } }
    },
    read: async (request, { principal }) => {
      const asked = request.uri
      if (!held.has(asked)) throw notFound(asked)
      const text = `${principal.id} ${of(asked)}`
      const hint = { ttlMs: 60_000, cacheScope: 'private' } as const
      return cutToRange({ kind: 'contents', contents: [{ uri: asked, text }], hint }, request)
    },
  }
  const write = (asked: string): boolean => {
    const isNew = !held.has(asked)
    held.set(asked, ++writes)
    return isNew
  }
  return { provider, held, write, remove: (asked: string) => held.delete(asked) }
}

describe('cache()', () => {
  it('answers what its provider would answer now, as long as every change is told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = createFakeClock()
        const { provider, write, remove } = numbered()
        const plain = createLibrary({ name: 'plain' }).mount(provider)
        const cached = createLibrary({ name: 'cached' })
          .mount(provider)
          .use(cache({ ttlMs: 60_000, notFoundMs: 60_000, clock }))
        for (const one of steps) {
          if (one.kind === 'advance') clock.advance(25_000)
          else if (one.kind === 'write') {
            if (write(one.uri)) cached.listChanged()
            cached.updated(one.uri)
            // Its size is in the list.
            cached.listChanged()
          } else if (one.kind === 'remove') {
            if (remove(one.uri)) cached.listChanged()
          } else {
            const ask = (library: typeof plain): Promise<unknown> => {
              const by = as(one.who)
              if (one.kind === 'list') return library.list({ limit: 9 }, by)
              if (one.kind === 'stat') return library.stat({ uri: one.uri }, by)
              return library.read({ uri: one.uri, maxBytes: 99, ...(one.range && { range: one.range }) }, by)
            }
            expect(await outcome(ask(cached))).toEqual(await outcome(ask(plain)))
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('never answers with what was there before a change that was told before it was asked, whatever overtakes what', async () => {
    const plan = fc.array(fc.tuple(fc.constantFrom('read', 'write', 'read'), anyUri, who), { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plan, async (scheduler, steps) => {
        const { provider, held, write } = numbered()
        const read = async (...[request, by]: Parameters<Provider['read']>): Promise<ReadResult> => {
          await scheduler.schedule(Promise.resolve(), 'opened')
          const result = await provider.read(request, by)
          await scheduler.schedule(Promise.resolve(), 'read')
          return result
        }
        const library = createLibrary({ name: 'acme' })
          .mount({ ...provider, read })
          .use(cache({ ttlMs: 60_000 }))
        const work: Promise<void>[] = []
        const { task } = scheduler.scheduleSequence(
          steps.map(([kind, asked, id]) => ({
            label: `${kind} ${asked}`,
            builder: async () => {
              if (kind === 'write') {
                write(asked)
                library.updated(asked)
                return
              }
              const atLeast = held.get(asked)!
              const check = async (): Promise<void> => {
                const result = await library.read({ uri: asked, maxBytes: 99 }, as(id))
                const [first] = result.kind === 'contents' ? result.contents : []
                const [name, number] = (first !== undefined && 'text' in first ? first.text : '').split(' ')
                expect(name).toBe(id)
                expect(Number(number)).toBeGreaterThanOrEqual(atLeast)
              }
              work.push(check())
            },
          })),
        )
        await scheduler.waitFor(task)
        await scheduler.waitFor(Promise.all(work))
      }),
      { numRuns: 200 },
    )
  })

  it('gives nobody what its provider would not give them, whoever asked before', async () => {
    const caller = fc.record({
      id: who,
      kind: fc.constantFrom('authenticated', 'anonymous', 'local'),
      group: fc.nat(2),
      may: fc.boolean(),
    })
    const behaviour = fc.record({ byGroup: fc.boolean(), byQuestion: fc.boolean(), isPublic: fc.boolean() })
    const asks = fc.array(fc.tuple(caller, fc.constantFrom('read', 'list', 'stat')), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(behaviour, asks, async ({ byGroup, byQuestion, isPublic }, all) => {
        const hint = { ttlMs: 60_000, cacheScope: isPublic ? 'public' : 'private' } as const
        const answerTo = (call: Call): string => {
          if (byQuestion && !call.allows('read', 'x:other')) throw notFound('x:1')
          // What is public is the same for everybody who may have it.
          if (isPublic) return 'all'
          const { kind, id, claims } = call.principal
          return byGroup ? `${kind} ${id} ${String(claims['group'])}` : `${kind} ${id}`
        }
        const provider: Provider = {
          name: 'p',
          prefixes: ['x:'],
          listHint: hint,
          list: async (_, call) => ({ items: [{ uri: 'x:1', name: answerTo(call) }] }),
          stat: async (_, call) => ({ resource: { uri: 'x:1', name: answerTo(call) }, hint }),
          read: async (_, call) => ({ kind: 'contents', contents: [{ uri: 'x:1', text: answerTo(call) }], hint }),
        }
        const cached = cache({ ttlMs: 60_000, notFoundMs: 60_000 })(provider)
        const work = all.map(([{ id, kind, group, may }, operation]) => {
          const principal = { id, kind: kind as 'local', scopes: [], claims: { group } }
          const call: Call = { ...localCall({ principal }), allows: () => may }
          const ask = (source: Provider): Promise<unknown> => {
            if (operation === 'list') return source.list({ limit: 1 }, call)
            return operation === 'stat' ? source.stat!({ uri: 'x:1' }, call) : source.read({ uri: 'x:1', maxBytes: 99 }, call)
          }
          return Promise.all([outcome(ask(cached)), outcome(ask(provider))])
        })
        for (const [got, wanted] of await Promise.all(work)) expect(got).toEqual(wanted)
      }),
      { numRuns: 300 },
    )
  })
})
