import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHub } from '../../src/client/index.ts'
import type { Connect, Hub } from '../../src/client/index.ts'
import { localCall } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { failure } from './opened-client.ts'
import { legacyServer, modernServer } from './scripted-server.ts'

const CALL = localCall()

function hubOf(servers: Readonly<Record<string, Connect>>, more: object = {}): Hub {
  const hub = openHub({ servers, ...more })
  onTestFinished(() => hub[Symbol.asyncDispose]())
  return hub
}

/** A server whose list is cut into pages of these sizes, some of them empty. */
function cutServer(count: number, sizes: readonly number[]): Connect {
  const starts: number[] = []
  for (let at = 0, i = 0; at < count || i === 0; i++) {
    starts.push(at)
    at += (sizes[i % sizes.length] ?? 0) + (i % 4 === 3 ? 1 : 0)
  }
  return modernServer(({ method, params }) => {
    if (method !== 'resources/list') return undefined
    const page = params['cursor'] === undefined ? 0 : Number(params['cursor'])
    const end = Math.min(count, starts[page + 1] ?? count)
    const resources = Array.from({ length: end - starts[page]! }, (_, i) => ({ uri: `n:${starts[page]! + i}`, name: 'n' }))
    return { resources, ...(page + 1 < starts.length && { nextCursor: `${page + 1}` }) }
  }).connect
}

async function walk(hub: Hub, limits: readonly number[]): Promise<readonly string[]> {
  const uris: string[] = []
  let after: Parameters<Hub['list']>[0]['after']
  for (let i = 0; i < 10_000; i++) {
    const limit = limits[i % limits.length] ?? 1
    const page = await hub.list({ limit, ...(after !== undefined && { after }) }, CALL)
    expect(page.items.length).toBeLessThanOrEqual(limit)
    uris.push(...page.items.map(({ uri }) => uri))
    if (page.next === undefined) return uris
    // As it is when it has been in a cursor.
    after = JSON.parse(JSON.stringify(page.next)) as typeof after
  }
  throw new Error('the list has no end')
}

describe('openHub()', () => {
  it('lists the same, however its servers and its callers cut their pages', async () => {
    const server = fc.tuple(fc.nat(40), fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(server, { minLength: 2, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
        async (servers, limits) => {
          const hub = openHub({
            servers: Object.fromEntries(servers.map(([count, sizes], i) => [`s${i}`, cutServer(count, sizes)])),
          })
          const wanted = servers.flatMap(([count], i) => Array.from({ length: count }, (_, n) => `s${i}+n:${n}`))
          expect(await walk(hub, limits)).toEqual(wanted)
          await hub[Symbol.asyncDispose]()
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    [null],
    [7],
    [{}],
    [{ server: 'nobody' }],
    [{ server: 7 }],
    [{ server: 'a', skip: 'x' }],
    [{ server: 'a', cursor: 7 }],
    [{ server: '__proto__' }],
  ])('refuses the place %j in a list', async (after) => {
    const hub = hubOf({ a: cutServer(1, [1]), b: cutServer(1, [1]) })
    expect(await failure(hub.list({ limit: 1, after: after as never }, CALL))).toContain('invalid-cursor')
  })

  it('keeps the servers of one URI apart, whatever one of them says', async () => {
    const of = (text: string, uri: string) =>
      modernServer(({ method }) =>
        method === 'resources/list' ? { resources: [{ uri: 'cfg://main', name: 'n' }] } : { contents: [{ uri, text }] },
      ).connect
    const hub = hubOf({ good: of('good', 'cfg://main'), bad: of('bad', 'good+cfg://main') })
    const read = async (uri: string) =>
      hub.read({ uri, maxBytes: 100 }, CALL).then((reading) => 'contents' in reading && reading.contents)
    expect(await read('good+cfg://main')).toEqual([{ uri: 'good+cfg://main', text: 'good' }])
    expect(await read('bad+cfg://main')).toEqual([{ uri: 'bad+good+cfg://main', text: 'bad' }])
    expect(await failure(read('cfg://main'))).toContain('ambiguous')
    expect(hub.locate('bad+cfg://main')).toEqual({ server: 'bad', uri: 'cfg://main' })
    expect([hub.locate('other+cfg://main'), hub.locate('cfg://main'), hub.locate('')]).toEqual([undefined, undefined, undefined])
  })

  it('reads what one server has while another hangs and a third is gone', async () => {
    const hanging = modernServer(() => undefined).connect
    const gone = () => {
      throw new Error('gone')
    }
    const good = legacyServer(({ params }) => ({ contents: [{ uri: params['uri'], text: 'good' }] })).connect
    const hub = hubOf({ hanging, gone, good }, { listBudgetMs: 100 })
    expect(await hub.read({ uri: 'good+x:1', maxBytes: 100 }, CALL)).toMatchObject({
      contents: [{ uri: 'good+x:1', text: 'good' }],
    })
    expect(await failure(hub.read({ uri: 'gone+x:1', maxBytes: 100 }, CALL))).toContain('gone')
  })

  it('says of what is kept only how long it is still fresh', async () => {
    const clock = createFakeClock()
    const answer = { ttlMs: 60_000, cacheScope: 'public', resources: [], contents: [{ uri: 'x:1', text: '' }] }
    const hub = hubOf({ only: modernServer(() => answer).connect }, { clock })
    const hints = async () => {
      const reading = await hub.read({ uri: 'x:1', maxBytes: 100 }, CALL)
      await hub.list({ limit: 10 }, CALL)
      return [reading.kind === 'contents' && reading.hint?.ttlMs, hub.listHint.ttlMs]
    }
    expect(await hints()).toEqual([60_000, 60_000])
    clock.advance(45_000)
    expect(await hints()).toEqual([15_000, 15_000])
  })
})
