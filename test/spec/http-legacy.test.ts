import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { code, events, INITIALIZE, post, session, SHELLS, stream } from './http.ts'
import { settle } from './recording-sink.ts'

describe.each(SHELLS)('a legacy session of %s', (_shell, open) => {
  it('opens with initialize and is known by its id', async () => {
    const server = await open()
    const response = await post(server, INITIALIZE)
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}$/)
    expect(await response.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    const headers = await session(server)
    const read = await post(server, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'a:1' } }, headers)
    expect(await read.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { contents: [{ uri: 'a:1', mimeType: 'text/plain', text: 'one' }] },
    })
    const missing = await post(server, { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'x:y' } }, headers)
    expect([missing.status, await code(missing)]).toEqual([200, -32002])
    const unknown = await post(server, { jsonrpc: '2.0', id: 3, method: 'no/such' }, headers)
    expect([unknown.status, await code(unknown)]).toEqual([200, -32601])
  })

  it('is 400 without an id or with a wrong version, 404 once it has ended', async () => {
    const server = await open()
    const headers = await session(server)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(server, ping)).status).toBe(400)
    expect((await post(server, ping, { ...headers, 'mcp-protocol-version': 'nonsense' })).status).toBe(400)
    expect((await post(server, ping, { ...headers, 'mcp-protocol-version': '2024-11-05' })).status).toBe(400)
    const { 'mcp-protocol-version': version, ...bare } = headers
    expect(version).toBeDefined()
    expect((await post(server, ping, bare)).status).toBe(200)
    expect((await server.ask({ method: 'DELETE', headers })).status).toBe(204)
    expect((await post(server, ping, headers)).status).toBe(404)
    expect((await server.ask({ method: 'DELETE', headers })).status).toBe(404)
    expect((await stream(server, headers)).status).toBe(404)
    expect(server.sessions).toBe(0)
  })

  it('does not agree on 2024-11-05, which has no Streamable HTTP', async () => {
    const response = await post(await open(), { ...INITIALIZE, params: { protocolVersion: '2024-11-05', capabilities: {} } })
    expect(await response.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  })

  it('is told of changes on its GET stream, also of those before the stream was there', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => 'one')
    const server = await open({}, library)
    const headers = await session(server)
    await post(server, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'a:1' } }, headers)
    library.updated('a:1')
    await settle()
    const told = events(await stream(server, headers))
    expect((await told.next()).value).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'a:1' },
    })
    library.resource('b:1', () => '')
    expect((await told.next()).value).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/list_changed' })
    const next = events(await stream(server, headers))
    expect((await told.next()).done).toBe(true)
    library.updated('a:1')
    expect((await next.next()).value).toMatchObject({ params: { uri: 'a:1' } })
  })

  it('goes on with a request whose client has gone', async () => {
    let finish = (): void => undefined
    let aborted = false
    const library = createLibrary({ name: 'acme' }).resource(
      'slow:1',
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true
          })
          finish = () => resolve('late')
        }),
    )
    const server = await open({}, library)
    const headers = await session(server)
    const leave = new AbortController()
    const gone = post(
      server,
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'slow:1' } },
      headers,
      leave.signal,
    ).catch(() => 'gone')
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
    leave.abort()
    await gone
    await settle()
    expect(aborted).toBe(false)
    finish()
    expect((await post(server, { jsonrpc: '2.0', id: 2, method: 'ping' }, headers)).status).toBe(200)
  })

  it('ends when nobody uses it, and there are not more than allowed', async () => {
    const server = await open({ maxSessions: 2, sessionIdleMs: 60 })
    await session(server)
    await session(server)
    const full = await post(server, INITIALIZE)
    expect([full.status, await code(full)]).toEqual([503, 10_429])
    await expect.poll(() => server.sessions, { timeout: 3000 }).toBe(0)
    expect((await post(server, INITIALIZE)).status).toBe(200)
  })

  it('is not opened by an initialize that fails', async () => {
    const server = await open()
    const response = await post(server, { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect(await code(response)).toBe(-32602)
    expect(server.sessions).toBe(0)
  })
})
