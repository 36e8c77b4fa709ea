import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { LOCAL } from '../../src/library/index.ts'
import { systemClock } from '../../src/library/index.ts'
import { createSealer } from '../../src/runtime/index.ts'
import { openEngine } from '../../src/server/index.ts'
import { HttpHandler } from '../../src/transports/http/handler.ts'
import { NodeReply } from '../../src/transports/http/node-reply.ts'
import { OpenStreams } from '../../src/transports/http/open-streams.ts'
import { Sessions } from '../../src/transports/http/sessions.ts'
import { Unread } from '../../src/transports/http/unread.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { serveHttp } from '../../src/transports/http/index.ts'
import type { HttpServer } from '../../src/transports/http/index.ts'
import { BOTH, code, INITIALIZE, modern, post, serve, session } from '../spec/http.ts'
import { envelope } from '../spec/engine.ts'

/** More than the buffers of two sockets take. */
const SIZE = 30_000_000

function head(server: HttpServer, lines: readonly string[], body: string) {
  const all = ['POST /mcp HTTP/1.1', ...lines, `Content-Length: ${Buffer.byteLength(body)}`]
  return `${all.join('\r\n')}\r\n\r\n${body}`
}

/** The first line of the answer to bytes as they are. */
async function raw(server: HttpServer, text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(text)
  const [data] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return data.toString('latin1').split('\r\n', 1)[0]!
}

describe('serveHttp()', () => {
  it('serveHttp() refuses a request with two values of Host or Content-Type', async () => {
    const server = await serve()
    const host = `Host: 127.0.0.1:${server.port}`
    const body = JSON.stringify(INITIALIZE)
    const type = 'Content-Type: application/json'
    expect(await raw(server, head(server, [host, type], body))).toBe('HTTP/1.1 200 OK')
    expect(await raw(server, head(server, [host, 'Host: evil.example', type], body))).toBe('HTTP/1.1 403 Forbidden')
    const many = Array.from({ length: 3_000 }, (_, i) => `${i}: 0`)
    expect(await raw(server, head(server, [host, type, ...many], body))).toBe('HTTP/1.1 200 OK')
    expect(await raw(server, head(server, [host, type, ...many, 'Host: evil.example'], body))).toBe('HTTP/1.1 403 Forbidden')
    expect(await raw(server, head(server, [host, type, 'Content-Type: text/plain'], body))).toBe(
      'HTTP/1.1 415 Unsupported Media Type',
    )
  })

  it('serveHttp() lets a legacy client cancel, and end its session, while requests wait for room', async () => {
    let begun = false
    const library = createLibrary({ name: 'acme' })
      .resource('long:1', () => 'x'.repeat(SIZE))
      .resource('slow:1', ({ signal }) => {
        begun = true
        return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('')))
      })
    // A clock that stands still: nobody is cut off, and nobody is admitted later.
    const server = await serve({ clock: createFakeClock(), maxUnread: 1_000, limits: { maxRead: SIZE } }, library)
    const headers = await session(server)
    const message = (rest: object) => post(server, { jsonrpc: '2.0', ...rest }, headers)
    const cancelled = message({ id: 7, method: 'resources/read', params: { uri: 'slow:1' } })
    await expect.poll(() => begun).toBe(true)
    const long = await modern(server, 'resources/read', { uri: 'long:1' })
    const waits = message({ id: 8, method: 'ping' }).catch(() => 'not answered')
    expect((await message({ method: 'notifications/cancelled', params: { requestId: 7 } })).status).toBe(202)
    expect(await (await cancelled).text()).toBe('')
    expect((await fetch(server.url, { method: 'DELETE', headers })).status).toBe(204)
    expect(server.sessions).toBe(0)
    await server.close()
    expect(await waits).toBe('not answered')
    await long.body?.cancel().catch(() => undefined)
  })

  it('serveHttp() answers under the address it listens on', async () => {
    const server = await serve({ host: '127.0.0.2' })
    expect((await post(server, INITIALIZE)).status).toBe(200)
  })

  it('serveHttp() closes a connection whose client does not read, and not one that is slow', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('x:big', () => 'y'.repeat(SIZE))
      .resource('x:slow', async () => {
        await pause(400)
        return 'late'
      })
    const server = await serve({ stallMs: 100, limits: { maxRead: SIZE } }, library)
    const slow = modern(server, 'resources/read', { uri: 'x:slow' })
    await pause(50)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta: envelope(), uri: 'x:big' } })
    const lines = [
      `Host: 127.0.0.1:${server.port}`,
      'Content-Type: application/json',
      'MCP-Protocol-Version: 2026-07-28',
      'Mcp-Method: resources/read',
      'Mcp-Name: x:big',
    ]
    const socket = connect(server.port, '127.0.0.1')
    socket.pause()
    socket.write(head(server, lines, body))
    await pause(2_000)
    let size = 0
    socket.on('data', (data: Buffer) => {
      size += data.length
    })
    socket.on('error', () => undefined)
    socket.resume()
    await once(socket, 'close')
    expect(size).toBeLessThan(SIZE)
    expect((await slow).status).toBe(200)
  })

  it('serveHttp() closes a connection that is not used any more', async () => {
    const server = await serve({ stallMs: 100 })
    const socket = connect(server.port, '127.0.0.1')
    await Promise.race([once(socket, 'close'), pause(3_000).then(() => Promise.reject(new Error('still open')))])
  })

  it('serveHttp() takes a legacy version under a modern header for the mismatch that it is', async () => {
    const server = await serve()
    const _meta = envelope({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' })
    const response = await modern(server, 'resources/read', { uri: 'a:1', _meta })
    expect([response.status, await code(response)]).toEqual([400, -32020])
  })

  it('serveHttp() sends a 204 without a length', async () => {
    const server = await serve()
    const response = await fetch(server.url, { method: 'DELETE', headers: await session(server) })
    expect([response.status, response.headers.get('content-length')]).toEqual([204, null])
  })

  it('serveHttp() refuses to listen for a client that takes no events', async () => {
    const server = await serve()
    const response = await modern(server, 'subscriptions/listen', { notifications: {} }, { ...BOTH, accept: 'application/json' })
    expect([response.status, await code(response)]).toEqual([406, -32600])
  })

  it('serveHttp() disposes the Library when it cannot listen, and ends although one cannot be disposed', async () => {
    let disposed = 0
    const provider: Provider = {
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async () => Promise.reject(new Error('no')),
      [Symbol.asyncDispose]: () => {
        disposed++
        return new Promise(() => {})
      },
    }
    const server = await serveHttp(createLibrary({ name: 'acme' }).mount(provider), { port: 0, drainMs: 20 })
    const second = createLibrary({ name: 'other' }).mount({ ...provider, [Symbol.asyncDispose]: async () => void disposed++ })
    await expect(serveHttp(second, { port: server.port })).rejects.toMatchObject({ code: 'unavailable' })
    expect(disposed).toBe(1)
    await server.close()
    expect(disposed).toBe(2)
  })
})

describe('NodeReply', () => {
  it('NodeReply keeps no stream for a client that left before there was anything to say', async () => {
    const streams = new OpenStreams(systemClock, 15_000)
    const web = createServer()
    await new Promise<void>((resolve) => {
      web.listen(0, '127.0.0.1', resolve)
    })
    const { port } = web.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [, response] = (await once(web, 'request')) as [unknown, ServerResponse]
    socket.destroy()
    await once(response, 'close')
    const stream = new NodeReply(response, streams, new Unread(systemClock, 1)).open(200, [])
    await stream.ended
    expect(streams.size).toBe(0)
    web.close()
  })
})

describe('HttpHandler', () => {
  it('HttpHandler gives a session to nobody but the principal that opened it', async () => {
    const engine = await openEngine(
      createLibrary({ name: 'acme' }).resource('x:1', () => ''),
      {
        sealer: createSealer(),
        clock: systemClock,
      },
    )
    const handler = new HttpHandler(engine, new Sessions(systemClock, { idleMs: 1_000, limit: 5 }))
    const ask = async (method: string, id: string | undefined, body: object, principal: string) => {
      const sent: { status?: number; headers?: readonly string[] } = {}
      const all: Record<string, string | undefined> = { ...BOTH, 'mcp-session-id': id }
      handler.handle(
        { method, header: (name) => all[name] },
        JSON.stringify(body),
        {
          send: (status, headers) => void Object.assign(sent, { status, headers }),
          break: () => undefined,
          open: (status, headers) => {
            Object.assign(sent, { status, headers })
            return { write: () => undefined, end: () => undefined, ended: Promise.resolve() }
          },
        },
        { ...LOCAL, id: principal },
      )
      await pause(5)
      return sent
    }
    const opened = (await ask('POST', undefined, INITIALIZE, 'ann')).headers ?? []
    const id = opened[opened.indexOf('mcp-session-id') + 1]
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const method of ['POST', 'GET', 'DELETE'])
      expect([method, (await ask(method, id, ping, 'bob')).status]).toEqual([method, 404])
    expect((await ask('POST', id, ping, 'ann')).status).toBe(200)
  })
})
