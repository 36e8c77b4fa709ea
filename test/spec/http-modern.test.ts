import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { envelope, MODERN } from './engine.ts'
import { code, events, INITIALIZE, modern, post, SHELLS } from './http.ts'

describe.each(SHELLS)('a modern request to %s', (_shell, open) => {
  it('is answered with one JSON object, never stored', async () => {
    const response = await modern(await open(), 'resources/read', { uri: 'a:1' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(await response.json()).toMatchObject({ id: 1, result: { resultType: 'complete', contents: [{ text: 'one' }] } })
  })

  it.each<[string, Record<string, unknown>, Record<string, string>, number, number]>([
    ['no/such', {}, {}, 404, -32601],
    ['initialize', {}, {}, 404, -32601],
    ['resources/read', { uri: 'x:y' }, {}, 200, -32602],
    ['resources/read', {}, {}, 200, -32602],
    ['server/discover', { _meta: {} }, {}, 400, -32602],
    [
      'server/discover',
      { _meta: envelope({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }) },
      { 'mcp-protocol-version': '2099-01-01' },
      400,
      -32022,
    ],
    ['server/discover', {}, { 'mcp-protocol-version': '2099-01-01' }, 400, -32020],
    ['server/discover', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['server/discover', {}, { 'mcp-method': 'tools/list' }, 400, -32020],
    ['server/discover', {}, { 'mcp-method': 'Server/discover' }, 400, -32020],
    ['resources/read', { uri: 'a:1' }, { 'mcp-name': 'a:2' }, 400, -32020],
    ['resources/read', { uri: 'a:1' }, { 'mcp-name': '=?base64?!!!?=' }, 400, -32020],
    ['resources/read', { uri: 'a:1' }, { 'mcp-name': '=?base64?/w==?=' }, 400, -32020],
    ['resources/read', { uri: 'a:1' }, { 'mcp-name': '=?BASE64?YToxCg==?=' }, 400, -32020],
  ])('%s %j %j gives %i and %i', async (method, params, headers, status, expected) => {
    const response = await modern(await open(), method, params, headers)
    expect(response.status).toBe(status)
    expect(await code(response)).toBe(expected)
  })

  it('needs Mcp-Method, Mcp-Name and the version header', async () => {
    const server = await open()
    const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta: envelope(), uri: 'a:1' } }
    const all: Record<string, string> = { 'mcp-protocol-version': MODERN, 'mcp-method': 'resources/read', 'mcp-name': 'a:1' }
    expect((await post(server, body, all)).status).toBe(200)
    for (const missing of Object.keys(all)) {
      const { [missing]: gone, ...rest } = all
      expect(gone).toBeDefined()
      const response = await post(server, body, rest)
      expect([response.status, await code(response)]).toEqual([400, -32020])
    }
  })

  it('takes the Base64 sentinel for a URI that a header cannot hold', async () => {
    const uri = 'notes:///日本/テスト'
    const server = await open(
      {},
      createLibrary({ name: 'acme' }).template('notes:///{+path}', ({ path }) => path),
    )
    const response = await modern(
      server,
      'resources/read',
      { uri },
      { 'mcp-name': '=?base64?bm90ZXM6Ly8v5pel5pysL+ODhuOCueODiA==?=' },
    )
    expect(await response.json()).toMatchObject({ result: { contents: [{ uri, text: '日本/テスト' }] } })
  })

  it('ignores a session id', async () => {
    expect((await modern(await open(), 'server/discover', {}, { 'mcp-session-id': 'made-up' })).status).toBe(200)
  })

  it('is 202 for a notification, 400 for a response, an array and other JSON', async () => {
    const server = await open()
    const headers = { 'mcp-protocol-version': MODERN }
    const notification = await post(server, { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: envelope() } }, headers)
    expect([notification.status, await notification.text()]).toEqual([202, ''])
    for (const body of [
      { jsonrpc: '2.0', id: 1, result: {} },
      [],
      [INITIALIZE],
      7,
      null,
      { jsonrpc: '2.0', id: null, method: 'x' },
    ]) {
      const response = await post(server, body, headers)
      expect([response.status, await code(response)]).toEqual([400, -32600])
    }
    const broken = await post(server, '{"jsonrpc"', headers)
    expect(broken.status).toBe(400)
    expect(await broken.json()).toEqual({ jsonrpc: '2.0', error: { code: -32700, message: 'Not valid JSON' } })
  })

  it('has its handler cancelled when the client goes', async () => {
    let aborted = false
    const library = createLibrary({ name: 'acme' }).resource(
      'slow:1',
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true
            resolve('late')
          })
        }),
    )
    const server = await open({}, library)
    const leave = new AbortController()
    const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta: envelope(), uri: 'slow:1' } }
    const gone = post(
      server,
      body,
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'resources/read', 'mcp-name': 'slow:1' },
      leave.signal,
    ).catch(() => 'gone')
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
    leave.abort()
    expect(await gone).toBe('gone')
    await expect.poll(() => aborted, { timeout: 2000 }).toBe(true)
  })

  it('is GET and DELETE 405, and other methods too', async () => {
    const server = await open()
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD']) {
      const response = await server.ask({
        method,
        headers: { 'mcp-protocol-version': MODERN, accept: 'text/event-stream' },
      })
      expect([method, response.status]).toEqual([method, 405])
    }
  })
})

describe.each(SHELLS)('subscriptions/listen of %s', (_shell, open) => {
  it('is a stream: acknowledged, told, ended with its result', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => 'one')
    const server = await open({}, library)
    const response = await modern(server, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['a:1'] } })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const told = events(response)
    expect((await told.next()).value).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    library.updated('a:1')
    expect((await told.next()).value).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'a:1' } })
    const closed = server.close()
    expect((await told.next()).value).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect((await told.next()).done).toBe(true)
    await closed
  })

  it('gets comments while it is quiet', async () => {
    const server = await open({ keepAliveMs: 20 })
    const leave = new AbortController()
    const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: envelope(), notifications: {} } }
    const response = await post(
      server,
      body,
      { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
      leave.signal,
    )
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('\n\n:\n\n')) break
    }
    leave.abort()
    expect(text).toContain('\n\n:\n\n')
  })
})

describe.each(SHELLS)('bytes from %s', (_shell, open) => {
  it('arrive as base64, whole, also from a stream', async () => {
    const bytes = Uint8Array.from({ length: 500_001 }, (_, i) => i % 251)
    const library = createLibrary({ name: 'acme' })
      .resource('b:memory', () => bytes)
      .resource('b:stream', ({ uri }) => [
        {
          uri,
          bytes: {
            size: bytes.length,
            async *open() {
              for (let i = 0; i < bytes.length; i += 70_001) yield bytes.subarray(i, i + 70_001)
            },
          },
        },
      ])
      .resource('b:short', ({ uri }) => [
        {
          uri,
          bytes: {
            size: 100,
            async *open() {
              yield new Uint8Array(99)
            },
          },
        },
      ])
    const server = await open({}, library)
    for (const uri of ['b:memory', 'b:stream']) {
      const body = (await (await modern(server, 'resources/read', { uri })).json()) as {
        result: { contents: { blob: string }[] }
      }
      expect(Buffer.from(body.result.contents[0]!.blob, 'base64').equals(bytes)).toBe(true)
    }
    await expect(modern(server, 'resources/read', { uri: 'b:short' }).then((response) => response.text())).rejects.toThrow()
    expect((await modern(server, 'server/discover')).status).toBe(200)
  })
})
