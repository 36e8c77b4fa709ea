import { describe, expect, it } from 'vitest'
import { createLibrary, notFound, ShelfError } from '../../src/index.ts'
import type { MethodModule, Provider } from '../../src/index.ts'
import { connect, envelope } from './engine.ts'
import { settle } from './recording-sink.ts'

const SECRET = '/srv/secret/path SELECT password'

function throwing(error: () => Error) {
  const fail = (): never => {
    throw error()
  }
  return createLibrary({ name: 'acme', strict: true })
    .resource('a:static', { describe: fail }, fail)
    .template('t:{x}', { list: fail, complete: { x: fail } }, fail)
}

const REQUESTS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['resources/read', { uri: 'a:static' }],
  ['resources/read', { uri: 't:1' }],
  ['resources/list', {}],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 't:{x}' }, argument: { name: 'x', value: '' } }],
]

describe('what a handler throws', () => {
  it.each(REQUESTS)('%s %j keeps its message on this side and reports it once', async (method, params) => {
    const reported: unknown[] = []
    const connection = await connect(
      throwing(() => new Error(SECRET)),
      { onError: (error) => reported.push(error) },
    )
    expect((await connection.modern(method, params))?.error).toEqual({ code: -32603, message: 'Internal error' })
    expect(JSON.stringify(connection.sink.messages)).not.toContain('secret')
    expect(reported).toHaveLength(1)
    expect(String(reported[0])).toContain(SECRET)
  })

  it.each(REQUESTS)('%s %j passes a refusal of the author on', async (method, params) => {
    const connection = await connect(throwing(() => new ShelfError('refused', 'Not on Sundays', {})))
    expect((await connection.modern(method, params))?.error).toEqual({ code: 10_400, message: 'Not on Sundays' })
  })

  it('is no different on a subscribe', async () => {
    const connection = await connect(throwing(() => new Error(SECRET)))
    await connection.initialize()
    expect((await connection.legacy('resources/subscribe', { uri: 'a:static' }))?.error).toEqual({
      code: -32603,
      message: 'Internal error',
    })
  })
})

describe('a part of a list that fails', () => {
  const partly = (error: Error) => {
    const list = (): never => {
      throw error
    }
    return createLibrary({ name: 'acme' })
      .resource('a:1', () => '')
      .template('t:{x}', { list }, () => '')
  }

  it('is reported once on this side, and named on the other without its message', async () => {
    const reported: unknown[] = []
    const connection = await connect(partly(new Error(SECRET)), {
      onError: (error, { method }) => reported.push([method, String(error)]),
    })
    const answer = await connection.modern('resources/list')
    expect(answer?.result?.['_meta']).toMatchObject({
      'dev.shelfmark/notices': [{ level: 'warning', provider: 'template:t:{x}', message: 'Left out: it failed' }],
    })
    expect(JSON.stringify(connection.sink.messages)).not.toMatch(/secret|cause/)
    expect(reported).toEqual([['resources/list', `Error: ${SECRET}`]])
  })

  it('is named with the words of its author where it refused', async () => {
    const connection = await connect(partly(new ShelfError('refused', 'Not on Sundays', {})))
    const answer = await connection.modern('resources/list')
    expect(answer?.result?.['_meta']).toMatchObject({
      'dev.shelfmark/notices': [{ level: 'warning', provider: 'template:t:{x}', message: 'Left out: Not on Sundays' }],
    })
  })
})

describe('a directory that is not there', () => {
  const folder: Provider = {
    name: 'folder',
    prefixes: ['dir:'],
    list: async () => ({ items: [] }),
    children: ({ uri }) => Promise.reject(notFound(uri)),
    read: ({ uri }) => Promise.reject(notFound(uri)),
  }

  it.each(['resources/directory/read', 'skills/get'])(
    '%s is -32602 in both eras, with the URI in the modern one',
    async (method) => {
      const connection = await connect(createLibrary({ name: 'acme' }).mount(folder))
      expect((await connection.modern(method, { uri: 'dir:///x' }))?.error).toEqual({
        code: -32602,
        message: 'Resource not found',
        data: { uri: 'dir:///x' },
      })
      await connection.initialize()
      expect((await connection.legacy(method, { uri: 'dir:///x' }))?.error).toEqual({
        code: -32602,
        message: 'Resource not found',
      })
    },
  )
})

describe('a cancelled request', () => {
  it('fires the signal of its handler and is not answered', async () => {
    let aborted = false
    const library = createLibrary({ name: 'acme' }).resource(
      'slow:1',
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true
            reject(new Error('aborted'))
          })
        }),
    )
    const connection = await connect(library)
    await connection.send({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta: envelope(), uri: 'slow:1' } })
    await connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(aborted).toBe(true)
    expect(connection.sink.messages).toEqual([])
    expect(connection.sink.dropped).toBe(1)
    expect(connection.peer.inFlight).toBe(0)
  })

  it.each([{ requestId: 99 }, { requestId: null }, {}])('that does not exist is no matter: %j', async (params) => {
    const connection = await connect(createLibrary({ name: 'acme' }).resource('a:1', () => ''))
    expect(await connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })).toEqual([])
    expect((await connection.legacy('ping'))?.result).toEqual({})
  })
})

describe('an answer that is too large for the channel', () => {
  it('is refused with its size and the limit, and the next is answered', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('big:text', () => '\u0000'.repeat(1000))
      .resource('big:bytes', () => new Uint8Array(6000))
      .resource('small:1', () => 'x')
    const connection = await connect(library, {}, 5000)
    const error = (await connection.modern('resources/read', { uri: 'big:text' }))?.error
    expect(error).toMatchObject({ code: 10_413, data: { limit: 5000 } })
    expect((error?.data as { size: number }).size).toBeGreaterThan(6000)
    expect((await connection.modern('resources/read', { uri: 'big:bytes' }))?.error).toMatchObject({ code: 10_413 })
    expect((await connection.modern('resources/read', { uri: 'small:1' }))?.result).toBeDefined()
  })
})

describe('a method module', () => {
  const module: MethodModule = {
    name: 'tools',
    logs: true,
    capabilities: () => ({ tools: {} }),
    extensions: () => ({ 'com.example/x': { on: true } }),
    completes: { type: 'ref/tool', complete: async ({ ref, prefix }) => ({ values: [`${String(ref['name'])}:${prefix}`] }) },
    methods: [
      {
        descriptor: { method: 'tools/call', kind: 'request', from: 'client', eras: ['modern', 'legacy'], nameField: 'name' },
        handle: async (_params, exchange) => {
          exchange.log('debug', 'low')
          exchange.log('error', { what: 'high' }, 'tool')
          exchange.progress(1, 2, 'half')
          exchange.progress(1, 2)
          exchange.progress(2, 2)
          await Promise.resolve()
          return { kind: 'result', value: { content: [], _meta: { own: 1 } } }
        },
      },
    ],
  }
  const library = () => createLibrary({ name: 'acme' }).resource('a:1', () => '')

  it('adds methods, capability, extension and completion of its ref', async () => {
    const connection = await connect(library(), { modules: [module] })
    expect((await connection.modern('server/discover'))?.result?.['capabilities']).toEqual({
      resources: { listChanged: true, subscribe: true },
      tools: {},
      completions: {},
      logging: {},
      extensions: { 'com.example/x': { on: true } },
    })
    const complete = { ref: { type: 'ref/tool', name: 'hammer' }, argument: { name: 'x', value: 'v' } }
    expect((await connection.modern('completion/complete', complete))?.result?.['completion']).toEqual({
      values: ['hammer:v'],
      hasMore: false,
    })
    expect((await connection.modern('tools/call', { name: 'x' }))?.result).toEqual({
      resultType: 'complete',
      content: [],
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '0.0.0' }, own: 1 },
    })
    expect((await connection.modern('completion/complete', { ...complete, ref: { type: 'ref/prompt' } }))?.error).toMatchObject({
      code: -32602,
    })
  })

  it('sends progress to a token and logs of the wanted level, before the response and never after', async () => {
    const connection = await connect(library(), { modules: [module] })
    const meta = envelope({ progressToken: 'p1', 'io.modelcontextprotocol/logLevel': 'warning' })
    const messages = await connection.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta, name: 'x' } })
    expect(messages.slice(0, 3)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', logger: 'tool', data: { what: 'high' } } },
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p1', progress: 1, total: 2, message: 'half' },
      },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p1', progress: 2, total: 2 } },
    ])
    expect(messages[3]).toMatchObject({ id: 1 })
    await connection.modern('tools/call', { name: 'x' })
    await settle()
    expect(connection.sink.notifications).toHaveLength(3)
  })

  it('logs to a legacy client by its level', async () => {
    const connection = await connect(library(), { modules: [module] })
    await connection.initialize()
    const logged = () =>
      connection.sink.notifications
        .filter((message) => message.method === 'notifications/message')
        .map((message) => message.params?.['level'])
    await connection.legacy('tools/call', { name: 'x' })
    expect(logged()).toEqual(['error'])
    expect((await connection.legacy('logging/setLevel', { level: 'debug' }))?.result).toEqual({})
    await connection.legacy('tools/call', { name: 'x' })
    expect(logged()).toEqual(['error', 'debug', 'error'])
    expect((await connection.legacy('logging/setLevel', { level: 'loud' }))?.error).toMatchObject({ code: -32602 })
  })

  it('of a name that is taken is refused, naming both', async () => {
    await expect(connect(library(), { modules: [module, { ...module, name: 'again' }] })).rejects.toMatchObject({
      code: 'duplicate',
      details: { first: 'tools', second: 'again' },
    })
  })
})
