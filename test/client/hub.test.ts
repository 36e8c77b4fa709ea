import { createHash } from 'node:crypto'
import { Client as OfficialClient } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHub } from '../../src/client/index.ts'
import type { Connect, Hub } from '../../src/client/index.ts'
import { ShelfError } from '../../src/errors.ts'
import type { Library } from '../../src/index.ts'
import { createLibrary, localCall } from '../../src/index.ts'
import type { Notice } from '../../src/library/index.ts'
import type { Resource } from '../../src/protocol/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'
import { modernServer } from './scripted-server.ts'

function hubOf(servers: Readonly<Record<string, Library | Connect>>, more: object = {}): Hub {
  const connects = Object.entries(servers).map(
    ([name, server]) => [name, typeof server === 'function' ? server : () => connectMemory(server, { extended: true })] as const,
  )
  const hub = openHub({ servers: Object.fromEntries(connects), ...more })
  onTestFinished(() => hub[Symbol.asyncDispose]())
  return hub
}

/** Everything a hub lists, a page of `limit` at a time. */
async function listed(hub: Hub, limit = 100): Promise<{ items: readonly Resource[]; notices: readonly string[] }> {
  const items: Resource[] = []
  const notices: string[] = []
  let after: Parameters<Hub['list']>[0]['after']
  for (let pages = 0; pages < 1_000; pages++) {
    const page = await hub.list({ limit, ...(after !== undefined && { after }) }, localCall())
    expect(page.items.length).toBeLessThanOrEqual(limit)
    items.push(...page.items)
    notices.push(...(page.notices ?? []).map(({ provider, message }) => `${provider}: ${message}`))
    if (page.next === undefined) return { items, notices }
    after = page.next
  }
  throw new Error('the list has no end')
}

function numbered(name: string, count: number): Library {
  const library = createLibrary({ name })
  for (let i = 0; i < count; i++) library.resource(`n:${i}`, { title: `${name} ${i}` }, () => `${name} ${i}`)
  return library
}

describe('openHub() with several servers', () => {
  it('lists each under a name of its own, whatever the size of a page', async () => {
    const hub = hubOf({ a: numbered('a', 3), b: numbered('b', 1), c: numbered('c', 450) })
    for (const limit of [1, 2, 100, 1_000]) {
      const { items, notices } = await listed(hub, limit)
      expect(items.slice(0, 5).map(({ uri }) => uri)).toEqual(['a+n:0', 'a+n:1', 'a+n:2', 'b+n:0', 'c+n:0'])
      expect(new Set(items.map(({ uri }) => uri)).size).toBe(454)
      expect(notices).toEqual([])
    }
  })

  it('reads all that it lists, in any order', async () => {
    const hub = hubOf({ a: numbered('a', 5), b: numbered('b', 5), c: numbered('c', 5) })
    const { items } = await listed(hub)
    const shuffled = items.toSorted((x, y) =>
      createHash('md5').update(x.uri).digest('hex') < createHash('md5').update(y.uri).digest('hex') ? -1 : 1,
    )
    const texts = await Promise.all(
      shuffled.map(async ({ uri }) => {
        const reading = await hub.read({ uri, maxBytes: 1_000 }, localCall())
        return reading.kind === 'contents' ? reading.contents : []
      }),
    )
    expect(texts.flat().map((one) => [one.uri, 'text' in one && one.text])).toEqual(
      shuffled.map(({ uri, title }) => [uri, title]),
    )
  })

  it('says whose an item is, and keeps what it does not know', async () => {
    const odd = { uri: 'x:1', name: 'one', vendor: { deep: [1] }, _meta: { 'acme.example/k': 1 }, size: 5 }
    const server = modernServer(({ method }) => (method === 'resources/list' ? { resources: [odd] } : undefined))
    const hub = hubOf({ a: server.connect, b: numbered('b', 0) })
    const { items } = await listed(hub)
    expect(items).toEqual([{ ...odd, uri: 'a+x:1', _meta: { 'acme.example/k': 1, 'dev.shelfmark/server': 'a' } }])
  })

  it('asks who is meant by a URI that several have', async () => {
    const hub = hubOf({ a: numbered('a', 1), b: numbered('b', 2) })
    const read = async (uri: string) => hub.read({ uri, maxBytes: 100 }, localCall()).catch((error: unknown) => error)
    const error = await read('n:0')
    expect(ShelfError.is(error, 'ambiguous') && error.details).toEqual({ uri: 'n:0', owners: ['a+n:0', 'b+n:0'] })
    expect(await read('n:1')).toMatchObject({ kind: 'contents', contents: [{ text: 'b 1' }] })
    expect(await read('n:7')).toMatchObject({ code: 'not-found', details: { uri: 'n:7' } })
    expect(await read('a+n:7')).toMatchObject({ code: 'not-found', details: { uri: 'a+n:7' } })
  })

  it('leaves out a server that fails, that hangs and that lies, and gives the rest', async () => {
    const dead = () => {
      throw new ShelfError('unavailable', 'no such command "nothing"', {})
    }
    const hanging = modernServer(() => undefined)
    const looping = modernServer(({ method }) =>
      method === 'resources/list' ? { resources: [{ uri: 'l:1', name: 'l' }], nextCursor: 'again' } : undefined,
    )
    const told: string[] = []
    const onNotice = ({ provider, message }: Notice): void => void told.push(`${provider}: ${message}`)
    const hub = hubOf(
      { dead, hanging: hanging.connect, looping: looping.connect, good: numbered('good', 2) },
      { listBudgetMs: 200, onNotice },
    )
    const { items, notices } = await listed(hub)
    expect(items.filter(({ uri }) => uri.startsWith('good+')).map(({ uri }) => uri)).toEqual(['good+n:0', 'good+n:1'])
    expect(notices).toEqual([
      'dead: Left out: it failed',
      'hanging: Left out: no answer within 200 ms',
      'looping: The list was ended: the server gave the cursor that it was sent',
    ])
    await listed(hub)
    expect(told.filter((line) => line.includes('Left out'))).toEqual([
      'dead: Left out: no such command "nothing"',
      'hanging: Left out: No answer within 200 ms',
    ])
  })

  it('tells why a server is left out again when it failed, was there and fails again', async () => {
    let fails = true
    const there = modernServer(({ method }) => {
      if (method !== 'resources/list') return undefined
      return fails ? { error: { code: 1, message: 'The disk of /srv/secret is away' } } : { resources: [] }
    })
    const told: string[] = []
    const hub = hubOf(
      { there: there.connect, good: numbered('good', 1) },
      { onNotice: ({ message }: Notice) => void told.push(message) },
    )
    for (const one of [true, true, false, true]) {
      fails = one
      await listed(hub)
    }
    expect(told).toHaveLength(2)
  })

  it('waits for servers that hang no longer than for one, and the next time hardly at all', async () => {
    const hanging = () => modernServer(({ method }) => (method === 'resources/list' ? undefined : {})).connect
    const hub = hubOf(
      { a: hanging(), b: hanging(), c: hanging(), d: hanging(), good: numbered('good', 1) },
      { listBudgetMs: 1_500 },
    )
    const took: number[] = []
    for (let i = 0; i < 2; i++) {
      const before = performance.now()
      const { items, notices } = await listed(hub)
      took.push(performance.now() - before)
      expect([items.map(({ uri }) => uri), notices.length]).toEqual([['good+n:0'], 4])
    }
    // One after the other they would take four times as long as one may.
    expect(took[0]).toBeLessThan(4 * 1_500)
    expect(took[1]).toBeLessThan(took[0]! / 2)
  })

  it('takes the strictest of what servers say of caching', async () => {
    const hinted = (hint: object) => modernServer(() => ({ resources: [], resourceTemplates: [], ...hint })).connect
    const hub = hubOf({ a: hinted({ ttlMs: 5_000, cacheScope: 'public' }), b: hinted({ ttlMs: 9_000, cacheScope: 'public' }) })
    expect(hub.listHint).toEqual({ ttlMs: 0, cacheScope: 'private' })
    await listed(hub)
    expect(hub.listHint).toEqual({ ttlMs: 5_000, cacheScope: 'public' })
  })

  it.each([{}, { 'Bad Name': () => connectMemory(numbered('x', 1)) }, { 'a+b': () => connectMemory(numbered('x', 1)) }])(
    'refuses names that are none: %o',
    (servers: Record<string, Connect>) => {
      expect(() => openHub({ servers })).toThrow(ShelfError)
    },
  )
})

describe('openHub() with one server', () => {
  it('changes no URI and nothing of an item', async () => {
    const whole = {
      uri: 'acme://a b/%7e',
      name: 'n',
      title: 't',
      description: 'd',
      mimeType: 'text/plain',
      size: 3,
      annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
      icons: [{ src: 'data:,' }],
      _meta: { 'acme.example/x': { y: 1 } },
      vendor: true,
    }
    const server = modernServer(({ method }) => (method === 'resources/list' ? { resources: [whole] } : undefined))
    const { items } = await listed(hubOf({ only: server.connect }))
    expect(items).toEqual([whole])
  })
})

/** A gateway to a gateway to a server, each with an Engine of its own. */
function hops(library: Library, count: number): Library {
  if (count === 0) return library
  const hub = openHub({
    name: `hop${count}`,
    servers: { next: () => connectMemory(hops(library, count - 1), { extended: true }) },
  })
  return createLibrary({ name: `hop${count}` }).mount(hub)
}

describe.each([1, 2])('a Hub that is served, %i hops away', (count) => {
  async function open(library: Library) {
    const client = new OfficialClient({ name: 't', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(connectMemory(hops(library, count), { extended: true }))
    onTestFinished(() => client.close())
    return client
  }

  it('keeps bytes bytes, and text text', async () => {
    const bytes = new Uint8Array(1024 * 1024).map((_, i) => (i * 7) ^ (i >> 8))
    const client = await open(
      createLibrary({ name: 's' })
        .resource('b:1', { mimeType: 'application/gzip' }, () => bytes)
        .resource('t:1', { mimeType: 'text/plain' }, () => 'text'),
    )
    const { contents } = await client.readResource({ uri: 'b:1' })
    expect(contents).toHaveLength(1)
    const [only] = contents
    expect(only).toMatchObject({ uri: 'b:1', mimeType: 'application/gzip' })
    expect(only).not.toHaveProperty('text')
    const blob = Buffer.from((only as { blob: string }).blob, 'base64')
    expect(createHash('sha256').update(blob).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect((await client.readResource({ uri: 't:1' })).contents).toEqual([{ uri: 't:1', mimeType: 'text/plain', text: 'text' }])
  })

  it('hands several contents on in order, with their metadata', async () => {
    const contents = [1, 2, 3].map((i) => ({
      uri: `d:${i}`,
      mimeType: 'text/plain',
      text: `${i}`,
      _meta: { 'acme.example/i': i },
    }))
    const client = await open(createLibrary({ name: 's' }).resource('d:all', () => contents))
    expect((await client.readResource({ uri: 'd:all' })).contents).toEqual(contents)
  })

  it('pages, completes, and lists templates as the server does', async () => {
    const library = numbered('s', 1_000).template('k:{id}', { title: 'K', complete: { id: ['north', 'south'] } }, ({ id }) => id)
    const client = await open(library)
    const first = await client.request({ method: 'resources/list', params: {} })
    expect(first.resources.length).toBeLessThan(1_000)
    expect(first.nextCursor).toBeTypeOf('string')
    expect((await client.listResources()).resources).toHaveLength(1_000)
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'k:{id}', title: 'K' }])
    expect((await client.readResource({ uri: 'k:7' })).contents).toMatchObject([{ uri: 'k:7', text: '7' }])
    const completed = await client.complete({
      ref: { type: 'ref/resource', uri: 'k:{id}' },
      argument: { name: 'id', value: 'no' },
    })
    expect(completed.completion.values).toEqual(['north'])
  })

  it('tells of changes', async () => {
    const source = memory({ name: 'm' })
    source.add({ uri: 'm:1', text: 'one' })
    const client = await open(createLibrary({ name: 's' }).mount(source))
    const heard: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('list'))
    const listening = await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['m:1'] })
    onTestFinished(() => listening.close())
    source.update('m:1', { text: 'two' })
    await expect.poll(() => heard, { timeout: 5_000 }).toEqual(['m:1'])
    source.add({ uri: 'm:2', text: 'new' })
    await expect.poll(() => heard, { timeout: 5_000 }).toEqual(['m:1', 'list'])
  })
})
