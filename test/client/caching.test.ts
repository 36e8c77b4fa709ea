import { settleable } from '../../src/library/index.ts'
import { describe, expect, it } from 'vitest'
import { createResultCache } from '../../src/client/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { all, failure, opened, pass, turns } from './opened-client.ts'
import type { Answer } from './scripted-server.ts'
import { legacyServer, modernServer } from './scripted-server.ts'

const DAY = 24 * 60 * 60 * 1_000

/** A server that counts what it is asked, and says so in what it gives. */
function counting(hint: object, more: (method: string) => Answer = () => undefined) {
  let count = 0
  const server = modernServer(({ method, params }) => {
    count++
    return (
      more(method) ??
      (method === 'resources/read'
        ? { ...hint, contents: [{ uri: params['uri'], text: `${count}` }] }
        : { ...hint, resources: [{ uri: `x:${count}`, name: 'n' }] })
    )
  })
  return { ...server, server, count: () => count }
}

describe('the cache of a client', () => {
  it.each([
    [{ ttlMs: 0 }, 0],
    [{}, 0],
    [{ ttlMs: -5 }, 0],
    [{ ttlMs: '60000' }, 0],
    [{ ttlMs: null }, 0],
    [{ ttlMs: 0.5 }, 0],
    [{ ttlMs: 60_000 }, 60_000],
    [{ ttlMs: 60_000.9, cacheScope: 'public' }, 60_000],
    [{ ttlMs: 60_000, cacheScope: 'everybody' }, 60_000],
    [{ ttlMs: 2 * DAY }, DAY],
    [{ ttlMs: 1e300 }, DAY],
  ])('keeps what came with %j for %i ms', async (hint, ttlMs) => {
    const clock = createFakeClock()
    const { server } = counting(hint)
    const { client } = opened(server, { clock })
    expect(await client.readText('x:1')).toBe('1')
    expect((await client.read('x:1')).hint.ttlMs).toBe(ttlMs)
    if (ttlMs === 0) return expect(await client.readText('x:1')).toBe('3')
    clock.advance(ttlMs - 1)
    expect((await client.read('x:1')).hint.ttlMs).toBe(1)
    expect(await client.readText('x:1')).toBe('1')
    clock.advance(1)
    expect(await client.readText('x:1')).toBe('2')
  })

  it('tells apart what is asked by method and parameters', async () => {
    const { server, count } = counting({ ttlMs: 1_000 }, (method) =>
      method.includes('templates') ? { ttlMs: 1_000 } : undefined,
    )
    const { client } = opened(server)
    const ask = () =>
      Promise.all([
        client.read('x:1'),
        client.read('x:2'),
        client.read('X:1'),
        client.listPage(),
        client.listPage({ cursor: '' }),
        client.listPage({ cursor: 'a' }),
        client.templatesPage(),
      ])
    await ask()
    await ask()
    expect(count()).toBe(7)
  })

  it('asks whatever is kept when it is told to, and keeps what it gets', async () => {
    const { server } = counting({ ttlMs: 1_000 })
    const { client } = opened(server)
    await client.read('x:1')
    expect((await client.read('x:1', { fresh: true })).contents[0]?.text).toBe('2')
    expect(await client.readText('x:1')).toBe('2')
  })

  it('keeps nothing without a cache', async () => {
    const { server } = counting({ ttlMs: 1_000 })
    const { client } = opened(server, { cache: false })
    await client.read('x:1')
    expect(await client.readText('x:1')).toBe('2')
  })

  it('asks the server at once for what it told of, under any spelling', async () => {
    const { server } = counting({ ttlMs: DAY })
    const { client } = opened(server)
    await client.read('x:a%7e')
    await client.read('x:b')
    server.notify('notifications/resources/updated', { uri: 'X:a~' })
    expect([await client.readText('x:a%7e'), await client.readText('x:b')]).toEqual(['3', '2'])
    await client.listPage()
    server.notify('notifications/resources/list_changed')
    expect([(await client.listPage()).items[0]?.uri, await client.readText('x:b')]).toEqual(['x:5', '2'])
  })

  it('does not keep what was asked for before the server told of a change', async () => {
    const answers: ((answer: Answer) => void)[] = []
    const server = modernServer(({ method }) =>
      method === 'resources/read' ? new Promise<Answer>((resolve) => answers.push(resolve)) : undefined,
    )
    const { client } = opened(server)
    const text = (value: string): Answer => ({ ttlMs: DAY, contents: [{ uri: 'x:1', text: value }] })
    const before = client.readText('x:1')
    await turns()
    server.notify('notifications/resources/updated', { uri: 'x:1' })
    const after = client.readText('x:1')
    await turns()
    answers[1]?.(text('new'))
    expect(await after).toBe('new')
    answers[0]?.(text('old'))
    expect(await before).toBe('old')
    expect([await client.readText('x:1'), answers.length]).toEqual(['new', 2])
  })

  it('asks once for what many want at the same time', async () => {
    const { server, count } = counting({})
    const { client } = opened(server)
    const texts = await Promise.all(Array.from({ length: 50 }, () => client.readText('x:1')))
    expect([new Set(texts).size, count()]).toEqual([1, 1])
  })

  it('lets those who wait shorter give up alone', async () => {
    const clock = createFakeClock()
    const answer = settleable<Answer>()
    const server = modernServer(() => answer.promise)
    const { client } = opened(server, { clock })
    const short = failure(client.read('x:1', { timeoutMs: 100 }))
    const long = client.readText('x:1')
    await turns()
    await pass(clock, 200)
    expect(await short).toBe('timeout: The server did not answer resources/read within 100 ms')
    answer.resolve({ contents: [{ uri: 'x:1', text: 'late' }] })
    expect(await long).toBe('late')
  })

  it('tells progress to each who wants it', async () => {
    const server = modernServer(({ id }) => {
      server.notify('notifications/progress', { progressToken: id, progress: 1 })
      return { contents: [{ uri: 'x:1', text: '' }] }
    })
    const { client } = opened(server)
    const told: number[] = []
    await Promise.all([1, 2].map((one) => client.read('x:1', { onProgress: () => told.push(one) })))
    expect(told).toEqual([1, 2])
  })

  it('gives what is too old, and says so, when the server cannot be asked', async () => {
    const clock = createFakeClock()
    let broken: Answer
    const { server } = counting({ ttlMs: 1_000 }, () => broken)
    const { client } = opened(server, { clock })
    await client.read('x:1')
    await client.listPage()
    clock.advance(1_000)
    for (const code of [10_429, 10_503, 10_504]) {
      broken = { error: { code, message: 'not now' } }
      expect(await client.read('x:1')).toMatchObject({ stale: true, hint: { ttlMs: 0 }, contents: [{ text: '1' }] })
      expect(await client.listPage()).toMatchObject({ stale: true, hint: { ttlMs: 0 }, items: [{ uri: 'x:2' }] })
      expect(await failure(client.read('x:1', { fresh: true }))).not.toBe('no failure')
    }
    broken = { error: { code: -32_603, message: 'broken' } }
    expect(await failure(client.read('x:1'))).toContain('server-error')
    broken = undefined
    expect((await client.read('x:1')).stale).toBe(false)
  })

  it.each([-32_002, -32_602, 10_400])('gives nothing that is too old of what the server answered with %i', async (code) => {
    const clock = createFakeClock()
    let broken: Answer
    const { server } = counting({ ttlMs: 1_000 }, () => broken)
    const { client } = opened(server, { clock })
    await client.read('x:1')
    clock.advance(1_000)
    broken = { error: { code, message: 'no' } }
    expect(await failure(client.read('x:1'))).toMatch(/^(not-found|refused)/)
    broken = { error: { code: 10_503, message: 'not now' } }
    expect(await failure(client.read('x:1'))).toContain('unavailable')
  })

  it('reads a list again from the server when a cursor is no longer taken', async () => {
    let refusals = 0
    const server = modernServer(({ params }) => {
      if (params['cursor'] === undefined)
        return { ttlMs: DAY, resources: [{ uri: `x:${refusals}`, name: 'n' }], nextCursor: `c${refusals}` }
      if (params['cursor'] === 'c0') return { error: { code: -32_602, message: `no ${++refusals}` } }
      return { ttlMs: DAY, resources: [{ uri: 'x:last', name: 'n' }] }
    })
    const { client, notices } = opened(server)
    expect((await all(client.list())).map(({ uri }) => uri)).toEqual(['x:0', 'x:1', 'x:last'])
    expect(notices).toEqual(['The server no longer takes its cursor; the list is read again from the start'])
  })

  it('asks with the version that it has, from a server that has versions', async () => {
    let version = 'a'
    const server = modernServer(
      ({ params }) => {
        const held = (params['_meta'] as Record<string, unknown>)['dev.shelfmark/version']
        if (held === version) return { contents: [], _meta: { 'dev.shelfmark/unchanged': true }, ttlMs: 0 }
        return { contents: [{ uri: 'x:1', text: `text ${version}` }], _meta: { 'dev.shelfmark/version': version }, ttlMs: 0 }
      },
      { capabilities: { resources: {}, extensions: { 'dev.shelfmark/resources': { versions: true } } } },
    )
    const { client } = opened(server)
    expect([await client.readText('x:1'), await client.readText('x:1')]).toEqual(['text a', 'text a'])
    version = 'b'
    expect(await client.readText('x:1')).toBe('text b')
    expect(await client.read('x:1', { ifVersion: 'b' })).toEqual({ kind: 'unchanged', version: 'b' })
    const held = server.asked.slice(1).map(({ params }) => (params['_meta'] as Record<string, unknown>)['dev.shelfmark/version'])
    expect(held).toEqual([undefined, 'a', 'a', 'b'])
  })

  it('outlives a server that tells of more changes than can be remembered', async () => {
    const clock = createFakeClock()
    const { server, count } = counting({ ttlMs: DAY })
    const { client } = opened(server, { clock })
    await client.read('x:kept')
    for (let i = 0; i < 10_001; i++) server.notify('notifications/resources/updated', { uri: `y:${i}` })
    await client.read('x:kept')
    await client.read('x:kept')
    expect(count()).toBe(2)
    server.notify('notifications/resources/updated', { uri: `y:${'z'.repeat(2 * 1024 * 1024)}` })
    await client.read('x:kept')
    expect(count()).toBe(3)
  })
})

describe('a cache that several clients share', () => {
  const who = (principal: string) =>
    modernServer(({ method }) =>
      method === 'resources/read'
        ? { ttlMs: DAY, cacheScope: 'private', contents: [{ uri: 'x:1', text: principal }] }
        : { ttlMs: DAY, cacheScope: 'public', resources: [{ uri: `x:${principal}`, name: 'n' }] },
    )

  it('never gives to one what is of another, and to all what is public', async () => {
    const cache = createResultCache()
    const clients = ['ann', 'bob'].map((principal) => {
      const server = who(principal)
      return { principal, server, ...opened(server, { cache, cacheAs: { server: 's', principal } }) }
    })
    for (let round = 0; round < 100; round++) {
      await Promise.all(clients.map(async ({ client, principal }) => expect(await client.readText('x:1')).toBe(principal)))
    }
    const lists = []
    for (const { client } of clients) lists.push((await client.listPage()).items[0]?.uri)
    expect(lists).toEqual(['x:ann', 'x:ann'])
  })

  it('tells servers apart, and clients that do not say whose they are', async () => {
    const cache = createResultCache()
    const named = opened(who('a'), { cache, cacheAs: { server: 'a', principal: '' } })
    const other = opened(who('b'), { cache, cacheAs: { server: 'b', principal: '' } })
    const unnamed = [opened(who('c'), { cache }), opened(who('d'), { cache })]
    const lists = []
    for (const { client } of [named, other, ...unnamed]) lists.push((await client.listPage()).items[0]?.uri)
    expect(lists).toEqual(['x:a', 'x:b', 'x:c', 'x:d'])
  })
})

describe('the cache, of a legacy server', () => {
  it('keeps nothing, since nothing is said', async () => {
    let count = 0
    const { client } = opened(legacyServer(() => ({ contents: [{ uri: 'x:1', text: `${++count}` }] })))
    expect([await client.readText('x:1'), await client.readText('x:1')]).toEqual(['1', '2'])
  })
})
