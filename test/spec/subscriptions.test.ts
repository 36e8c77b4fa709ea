import { describe, expect, it } from 'vitest'
import { createLibrary, definePolicy } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { systemClock } from '../../src/library/index.ts'
import { createSealer } from '../../src/runtime/index.ts'
import { openEngine } from '../../src/server/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { connect, Connection, envelope } from './engine.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { settle } from './recording-sink.ts'

const clock = createFakeClock()

/** Changes are told when none has come for a tenth of a second. */
async function told(): Promise<void> {
  clock.advance(100)
  await settle()
}

const UPDATED = 'notifications/resources/updated'
const CHANGED = 'notifications/resources/list_changed'

const library = () =>
  createLibrary({ name: 'acme', clock })
    .resource('a:1', () => '1')
    .resource('b:1', () => '2')
    .template('t:{x}', ({ x }) => x)

function listen(connection: Connection, id: number | string, notifications: object) {
  return connection.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { _meta: envelope(), notifications } })
}

async function three() {
  const shelf = library()
  const engine = await openEngine(shelf, { sealer: createSealer(), clock: systemClock })
  const open = async () => {
    const connection = new Connection(engine)
    await connection.initialize()
    return connection
  }
  return { shelf, engine, clients: [await open(), await open(), await open()] as const }
}

describe('resources/subscribe', () => {
  it('tells each client of what it subscribed to, and once', async () => {
    const { shelf, clients } = await three()
    const [one, two, none] = clients
    for (const uri of ['a:1', 'a:1', 't:x%20y']) expect((await one.legacy('resources/subscribe', { uri }))?.result).toEqual({})
    for (const uri of ['A:1', 'b:1']) await two.legacy('resources/subscribe', { uri })
    shelf.updated('a:1')
    shelf.updated('a:1')
    shelf.updated('b:1')
    shelf.updated('t:x%20y')
    await told()
    const said = (connection: Connection) => connection.sink.notifications.map((message) => [message.method, message.params])
    expect(said(one)).toEqual([
      [UPDATED, { uri: 'a:1' }],
      [UPDATED, { uri: 't:x%20y' }],
    ])
    expect(said(two)).toEqual([
      [UPDATED, { uri: 'A:1' }],
      [UPDATED, { uri: 'b:1' }],
    ])
    expect(said(none)).toEqual([])
  })

  it('ends with unsubscribe, and with the connection', async () => {
    const { shelf, engine, clients } = await three()
    const [one, two] = clients
    await one.legacy('resources/subscribe', { uri: 'a:1' })
    await two.legacy('resources/subscribe', { uri: 'a:1' })
    expect((await one.legacy('resources/unsubscribe', { uri: 'a:1' }))?.result).toEqual({})
    expect((await one.legacy('resources/unsubscribe', { uri: 'never' }))?.result).toEqual({})
    two.peer.close()
    shelf.updated('a:1')
    await told()
    expect(one.sink.notifications).toEqual([])
    expect(two.sink.notifications).toEqual([])
    expect(engine.listeners).toBe(2)
  })

  it('is refused beyond 256 URIs', async () => {
    const shelf = createLibrary({ name: 'acme', clock }).template('t:{x}', () => '')
    const connection = await connect(shelf, { limits: { urisPerListener: 2 } })
    await connection.initialize()
    for (const x of ['1', '2']) expect((await connection.legacy('resources/subscribe', { uri: `t:${x}` }))?.result).toEqual({})
    expect((await connection.legacy('resources/subscribe', { uri: 't:3' }))?.error).toMatchObject({ code: 10429 })
    expect((await connection.legacy('resources/subscribe', { uri: 't:1' }))?.result).toEqual({})
  })

  it('is neither advertised nor answered where nothing can tell of changes', async () => {
    const silent = createLibrary({ name: 'acme', clock }).mount({
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    })
    const connection = await connect(silent)
    expect((await connection.initialize())?.result?.['capabilities']).toMatchObject({
      resources: { listChanged: true, subscribe: false },
    })
    expect((await connection.legacy('resources/subscribe', { uri: 'p:1' }))?.error).toMatchObject({ code: -32601 })
    const [ack] = await listen(connection, 1, { resourceSubscriptions: ['p:1'], resourcesListChanged: true })
    expect(ack?.params?.['notifications']).toEqual({ resourceSubscriptions: [], resourcesListChanged: true })
  })
})

describe('a resource that nothing watches', () => {
  it('is not promised, beside others that are', async () => {
    const shelf = library().mount({
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    })
    const outer = createLibrary({ name: 'outer' }).mount(shelf, { at: 'in' })
    const connection = await connect(outer)
    const [ack] = await listen(connection, 1, { resourceSubscriptions: ['in+p:1', 'in+a:1', 'in+t:x', 'in+none:1'] })
    expect(ack?.params?.['notifications']).toEqual({ resourceSubscriptions: ['in+a:1', 'in+t:x'] })
    await connection.initialize()
    expect((await connection.legacy('resources/subscribe', { uri: 'in+p:1' }))?.error).toMatchObject({
      code: -32602,
      message: 'Nothing tells of changes of this resource: read it again instead',
    })
    expect((await connection.legacy('resources/subscribe', { uri: 'in+a:1' }))?.result).toEqual({})
  })
})

describe('list_changed', () => {
  it('is one for a thousand adds in one turn, and none before the client is ready', async () => {
    const shelf = library()
    const connection = await connect(shelf)
    await connection.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    shelf.resource('early:1', () => '')
    await told()
    expect(connection.sink.notifications).toEqual([])
    connection.peer.receive({ jsonrpc: '2.0', method: 'notifications/initialized' }, connection.sink)
    await told()
    const before = connection.sink.notifications.length
    for (let i = 0; i < 1000; i++) shelf.resource(`late:${i}`, () => '')
    await told()
    expect(connection.sink.notifications.slice(before)).toEqual([{ jsonrpc: '2.0', method: CHANGED }])
  })
})

describe('subscriptions/listen', () => {
  it('acknowledges first what it honours: neither absent URIs nor filters it does not know', async () => {
    const shelf = library()
    const connection = await connect(shelf)
    const messages = await listen(connection, 7, {
      resourcesListChanged: true,
      toolsListChanged: true,
      resourceSubscriptions: ['a:1', 'none:1', 't:v', 'A:1'],
    })
    expect(messages).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          _meta: { 'io.modelcontextprotocol/subscriptionId': 7 },
          notifications: { resourcesListChanged: true, resourceSubscriptions: ['a:1', 't:v', 'A:1'] },
        },
      },
    ])
    shelf.updated('a:1')
    shelf.updated('b:1')
    shelf.resource('c:1', () => '')
    await told()
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 }
    expect(connection.sink.notifications.slice(1)).toEqual([
      { jsonrpc: '2.0', method: UPDATED, params: { _meta, uri: 'a:1' } },
      { jsonrpc: '2.0', method: CHANGED, params: { _meta } },
    ])
  })

  it('ends without a word when cancelled, and frees everything', async () => {
    const shelf = library()
    const connection = await connect(shelf)
    await listen(connection, 's1', { resourceSubscriptions: ['a:1'] })
    expect(connection.engine.listeners).toBe(1)
    await connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's1' } })
    shelf.updated('a:1')
    await told()
    expect(connection.sink.messages).toHaveLength(1)
    expect(connection.engine.listeners).toBe(0)
    expect(connection.peer.inFlight).toBe(0)
  })

  it('ends with its result when the server closes', async () => {
    const connection = await connect(library())
    await listen(connection, 1, { resourcesListChanged: true })
    await connection.engine.close()
    await told()
    expect(connection.sink.responses).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          resultType: 'complete',
          _meta: {
            'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '0.0.0' },
            'io.modelcontextprotocol/subscriptionId': 1,
          },
        },
      },
    ])
  })

  it('keeps a set of what is dirty, not a queue, while nobody reads', async () => {
    const shelf = library()
    const connection = await connect(shelf)
    await listen(connection, 1, { resourceSubscriptions: ['a:1', 'b:1'] })
    connection.sink.full = true
    for (let i = 0; i < 10_000; i++) {
      shelf.updated('a:1')
      shelf.updated('b:1')
    }
    await told()
    expect(connection.sink.notifications).toHaveLength(2)
    connection.sink.drain()
    await told()
    expect(connection.sink.notifications.slice(1).map((message) => message.params?.['uri'])).toEqual(['a:1', 'b:1'])
    shelf.updated('b:1')
    await told()
    expect(connection.sink.notifications.at(-1)?.params?.['uri']).toBe('b:1')
  })

  it.each([
    [{}, 'no filter'],
    [{ notifications: 'all' }, 'a filter that is no object'],
    [{ notifications: { resourceSubscriptions: 'a:1' } }, 'URIs that are no array'],
    [{ notifications: { resourceSubscriptions: [1] } }, 'URIs that are no strings'],
  ] as readonly (readonly [Record<string, unknown>, string])[])('refuses %j: %s', async (params) => {
    const connection = await connect(library())
    expect((await connection.modern('subscriptions/listen', params))?.error).toMatchObject({ code: -32602 })
    expect(connection.engine.listeners).toBe(0)
  })

  it('is refused when there are too many listeners', async () => {
    const connection = await connect(library(), { limits: { maxListeners: 1 } })
    await listen(connection, 1, { resourcesListChanged: true })
    expect((await listen(connection, 2, { resourcesListChanged: true }))[0]?.error).toMatchObject({ code: 10429 })
  })

  it('tells of changes of a mount that watches, and asks policies and access at delivery', async () => {
    const source = memory({
      name: 'm',
      prefixes: ['m:'],
      resources: [
        { uri: 'm:1', text: '' },
        { uri: 'm:2', text: '' },
      ],
    })
    let hidden = ''
    const shelf = createLibrary({ name: 'acme', clock })
      .mount(source)
      .use(definePolicy({ name: 'hide', keep: (uri) => uri !== hidden }))
    let revoked = ''
    const connection = await connect(shelf, { access: (_principal, _operation, uri) => uri !== revoked })
    await listen(connection, 1, { resourceSubscriptions: ['m:1', 'm:2'] })
    const said = () => connection.sink.notifications.slice(1).map((message) => message.params?.['uri'])
    source.update('m:1', { text: 'new' })
    await told()
    expect(said()).toEqual(['m:1'])
    hidden = 'm:1'
    revoked = 'm:2'
    source.update('m:1', { text: 'newer' })
    source.update('m:2', { text: 'newer' })
    await told()
    expect(said()).toEqual(['m:1'])
  })
})

describe('a denied resource', () => {
  const folder: Provider = {
    name: 'folder',
    prefixes: ['dir:'],
    list: async () => ({ items: [{ uri: 'dir:///d/x', name: 'x' }] }),
    children: async () => ({ items: [{ uri: 'dir:///d/x', name: 'x' }] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
  }
  const shelf = () => library().mount(folder)
  const denied = new Set(['a:1', 't:secret', 't:{x}', 'dir:///d'])
  const absent = new Map([
    ['a:1', 'absent:1'],
    ['t:secret', 'absent:2'],
    ['t:{x}', 'absent:{x}'],
    ['dir:///d', 'absent:3'],
  ])

  it.each([
    ['resources/read', (uri: string) => ({ uri }), 'a:1'],
    ['resources/read', (uri: string) => ({ uri }), 't:secret'],
    ['resources/directory/read', (uri: string) => ({ uri }), 'dir:///d'],
    [
      'completion/complete',
      (uri: string) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'x', value: '' } }),
      't:{x}',
    ],
    ['subscriptions/listen', (uri: string) => ({ notifications: { resourceSubscriptions: [uri] } }), 'a:1'],
  ] as const)('answers %s like an absent one', async (method, params, uri) => {
    const connection = await connect(shelf(), { access: (_principal, _operation, asked) => !denied.has(asked) })
    const other = absent.get(uri)!
    const answer = async (asked: string) => {
      const before = connection.sink.messages.length
      await connection.modern(method, params(asked))
      return JSON.stringify(connection.sink.messages.slice(before))
        .replaceAll(asked, 'X')
        .replaceAll(/10\d\d/g, 'N')
    }
    expect(await answer(uri)).toBe(await answer(other))
  })

  it('is in no list', async () => {
    const connection = await connect(shelf(), { access: (_principal, _operation, asked) => !denied.has(asked) })
    const listed = (await connection.modern('resources/list'))?.result?.['resources'] as { uri: string }[]
    expect(listed.map(({ uri }) => uri)).toEqual(['b:1', 'dir:///d/x'])
    expect((await connection.modern('resources/templates/list'))?.result?.['resourceTemplates']).toEqual([])
  })
})
