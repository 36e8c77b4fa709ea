import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { connect, envelope, MODERN } from './engine.ts'
import { settle } from './recording-sink.ts'

const library = () =>
  createLibrary({ name: 'acme', version: '1.2.3', title: 'Acme', instructions: 'Read a:1 first.' })
    .resource(
      'a:1',
      {
        title: 'One',
        icons: [{ src: 'https://x/i.png' }],
        annotations: { priority: 1, lastModified: '2026-01-01T00:00:00Z' },
        _meta: { k: 1 },
      },
      () => 'one',
    )
    .template('t:{x}', { title: 'Tea' }, ({ x }) => x)

const discover = (meta: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } })

describe('the modern era', () => {
  it('answers server/discover with versions, capabilities and who it is', async () => {
    const connection = await connect(library())
    expect((await connection.modern('server/discover'))?.result).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { resources: { listChanged: true, subscribe: true }, completions: {} },
      instructions: 'Read a:1 first.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '1.2.3', title: 'Acme' } },
    })
  })

  it('shapes every result: resultType, cache fields, who answers', async () => {
    const connection = await connect(library())
    expect((await connection.modern('resources/read', { uri: 'a:1' }))?.result).toEqual({
      resultType: 'complete',
      contents: [{ uri: 'a:1', mimeType: 'text/plain', text: 'one' }],
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '1.2.3', title: 'Acme' } },
    })
    const complete = await connection.modern('completion/complete', {
      ref: { type: 'ref/resource', uri: 't:{x}' },
      argument: { name: 'x', value: '' },
    })
    expect(complete?.result).toEqual({
      resultType: 'complete',
      completion: { values: [], total: 0, hasMore: false },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '1.2.3', title: 'Acme' } },
    })
  })

  it.each([
    ['no _meta', undefined],
    ['no protocolVersion', { 'io.modelcontextprotocol/clientCapabilities': {} }],
    ['no clientCapabilities', { 'io.modelcontextprotocol/protocolVersion': MODERN }],
    ['capabilities that are no object', envelope({ 'io.modelcontextprotocol/clientCapabilities': [] })],
    ['a version that is no string', envelope({ 'io.modelcontextprotocol/protocolVersion': 7 })],
    ['a clientInfo without a name', envelope({ 'io.modelcontextprotocol/clientInfo': { version: '1' } })],
    ['an unknown log level', envelope({ 'io.modelcontextprotocol/logLevel': 'loud' })],
  ])('refuses %s with -32602', async (_what, meta) => {
    const connection = await connect(library())
    const [answer] = await connection.send(discover(meta))
    expect(answer).toMatchObject({ id: 1, error: { code: -32602 } })
    expect(connection.sink.failures[0]?.rejected).toBe(true)
  })

  it('does not insist on clientInfo', async () => {
    const connection = await connect(library())
    const { 'io.modelcontextprotocol/clientInfo': info, ...meta } = envelope()
    expect(info).toBeDefined()
    expect((await connection.send(discover(meta)))[0]?.result).toBeDefined()
  })

  it.each(['2099-01-01', 'v999', '1900-01-01', '2025-11-25'])(
    'refuses version %s with -32022 and says what it supports',
    async (version) => {
      const connection = await connect(library())
      const [answer] = await connection.send(discover(envelope({ 'io.modelcontextprotocol/protocolVersion': version })))
      expect(answer?.error).toEqual({
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: ['2026-07-28'], requested: version },
      })
    },
  )

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such',
    'toString',
    '__proto__',
  ])('has no %s', async (method) => {
    const connection = await connect(library())
    expect((await connection.modern(method))?.error).toMatchObject({ code: -32601 })
  })

  it('answers not found with -32602, the constant message and the URI as sent', async () => {
    const connection = await connect(library())
    expect((await connection.modern('resources/read', { uri: 'NOPE:%7E' }))?.error).toEqual({
      code: -32602,
      message: 'Resource not found',
      data: { uri: 'NOPE:%7E' },
    })
    expect((await connection.modern('resources/read', {}))?.error).toMatchObject({
      code: -32602,
      message: 'params.uri must be a string',
    })
  })
})

describe('the legacy era', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'agrees on %s and leaves out what is newer',
    async (version) => {
      const connection = await connect(library())
      const answer = (await connection.initialize(version))?.result
      const titled = version >= '2025-06-18'
      expect(answer).toEqual({
        protocolVersion: version,
        capabilities: {
          resources: { listChanged: true, subscribe: true },
          ...(version === '2024-11-05' ? {} : { completions: {} }),
        },
        serverInfo: { name: 'acme', version: '1.2.3', ...(titled && { title: 'Acme' }) },
        instructions: 'Read a:1 first.',
      })
      expect((await connection.legacy('resources/list'))?.result).toEqual({
        resources: [
          {
            uri: 'a:1',
            name: '1',
            annotations: { priority: 1, ...(titled && { lastModified: '2026-01-01T00:00:00Z' }) },
            ...(titled && { title: 'One', _meta: { k: 1 } }),
            ...(version === '2025-11-25' && { icons: [{ src: 'https://x/i.png' }] }),
          },
        ],
      })
      expect((await connection.legacy('resources/templates/list'))?.result).toEqual({
        resourceTemplates: [{ uriTemplate: 't:{x}', name: 't:{x}', ...(titled && { title: 'Tea' }) }],
      })
    },
  )

  it.each(['1999-01-01', '2026-07-28', ''])('answers an initialize for %j with the newest legacy revision', async (version) => {
    const connection = await connect(library())
    expect((await connection.initialize(version))?.result).toMatchObject({ protocolVersion: '2025-11-25' })
  })

  it('answers ping at any time, and nothing else before initialize', async () => {
    const connection = await connect(library())
    expect((await connection.legacy('ping'))?.result).toEqual({})
    expect((await connection.legacy('resources/list'))?.error).toMatchObject({ code: -32602 })
    await connection.initialize()
    expect((await connection.legacy('ping'))?.result).toEqual({})
    expect((await connection.legacy('resources/list'))?.result).toBeDefined()
  })

  it('initializes once', async () => {
    const connection = await connect(library())
    await connection.initialize()
    expect((await connection.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {} }))?.error).toMatchObject({
      code: -32600,
    })
  })

  it('answers not found with -32002 for read and subscribe', async () => {
    const connection = await connect(library())
    await connection.initialize()
    const error = { code: -32002, message: 'Resource not found', data: { uri: 'x:y' } }
    expect((await connection.legacy('resources/read', { uri: 'x:y' }))?.error).toEqual(error)
    expect((await connection.legacy('resources/subscribe', { uri: 'x:y' }))?.error).toEqual(error)
    expect(
      (
        await connection.legacy('completion/complete', {
          ref: { type: 'ref/resource', uri: 'x:{y}' },
          argument: { name: 'y', value: '' },
        })
      )?.error,
    ).toMatchObject({
      code: -32602,
    })
  })

  it('has no modern methods', async () => {
    const connection = await connect(library())
    await connection.initialize()
    expect((await connection.legacy('server/discover'))?.error).toMatchObject({ code: -32601 })
    expect((await connection.legacy('subscriptions/listen', { notifications: {} }))?.error).toMatchObject({ code: -32601 })
  })
})

describe('both eras', () => {
  it('are served on one connection, request by request', async () => {
    const connection = await connect(library())
    await connection.initialize()
    expect((await connection.legacy('resources/read', { uri: 'a:1' }))?.result).toEqual({
      contents: [{ uri: 'a:1', mimeType: 'text/plain', text: 'one' }],
    })
    expect((await connection.modern('resources/read', { uri: 'a:1' }))?.result).toMatchObject({ resultType: 'complete' })
    expect((await connection.modern('initialize'))?.error).toMatchObject({ code: -32601 })
  })
})

describe('arrays of messages', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })

  it('are answered with one array in 2025-03-26', async () => {
    const connection = await connect(library())
    await connection.initialize('2025-03-26')
    const answers = await connection.send([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'a:1' } },
      7,
    ])
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) as unknown }),
      { jsonrpc: '2.0', id: 2, result: { contents: [{ uri: 'a:1', mimeType: 'text/plain', text: 'one' }] } },
    ])
  })

  it('need no answer when all are notifications', async () => {
    const connection = await connect(library())
    await connection.initialize('2025-03-26')
    expect(connection.peer.receive([{ jsonrpc: '2.0', method: 'notifications/x' }], connection.sink)).toBe(false)
  })

  it('hold at most 50 messages and never initialize', async () => {
    const connection = await connect(library())
    await connection.initialize('2025-03-26')
    expect(await connection.send(Array.from({ length: 51 }, (_, i) => ping(i)))).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) as unknown }),
    ])
    expect(await connection.send([])).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) as unknown }),
    ])
    expect(await connection.send([{ jsonrpc: '2.0', id: 9, method: 'initialize', params: {} }])).toEqual([
      expect.objectContaining({ id: 9, error: expect.objectContaining({ code: -32600 }) as unknown }),
    ])
  })

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('are refused in %s', async (version) => {
    const connection = await connect(library())
    await connection.initialize(version)
    expect((await connection.send([ping(1)]))[0]?.error).toMatchObject({ code: -32600 })
  })

  it('are refused in the modern era', async () => {
    const connection = await connect(library())
    expect((await connection.send([discover(envelope())]))[0]?.error).toMatchObject({ code: -32600 })
  })
})

describe('malformed messages', () => {
  it.each([
    [7, undefined],
    [null, undefined],
    ['text', undefined],
    [{}, undefined],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
    [{ id: 1, method: 'ping' }, 1],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: Infinity, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: 1, method: 7 }, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' }, 1],
    [{ jsonrpc: '2.0', id: 1 }, 1],
  ])('%j is answered with -32600, and the next good one as usual', async (value, id) => {
    const connection = await connect(library())
    const [answer] = await connection.send(value)
    expect(answer?.error?.code).toBe(-32600)
    expect(answer?.id).toBe(id)
    expect((await connection.legacy('ping'))?.result).toEqual({})
  })

  it('text that is not JSON is answered with -32700 and no id', async () => {
    const connection = await connect(library())
    connection.peer.receiveText('{"jsonrpc":', connection.sink)
    await settle()
    expect(connection.sink.messages).toEqual([{ jsonrpc: '2.0', error: { code: -32700, message: 'Not valid JSON' } }])
  })

  it('responses from a client are taken without an answer', async () => {
    const connection = await connect(library())
    expect(await connection.send({ jsonrpc: '2.0', id: 1, result: {} })).toEqual([])
  })

  it('an id in flight is refused for the second, and the first is unharmed', async () => {
    let release = (): void => undefined
    const slow = createLibrary({ name: 'acme' }).resource(
      'slow:1',
      () =>
        new Promise((resolve) => {
          release = () => resolve('done')
        }),
    )
    const connection = await connect(slow)
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'slow:1', _meta: envelope() } }
    expect(await connection.send(read)).toEqual([])
    expect((await connection.send(read))[0]?.error?.code).toBe(-32600)
    release()
    await settle()
    expect(connection.sink.responses.at(-1)).toMatchObject({ id: 1, result: { contents: [{ text: 'done' }] } })
    expect(connection.peer.inFlight).toBe(0)
  })
})
