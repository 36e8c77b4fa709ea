import { request as httpRequest } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { HttpServer } from '../../src/transports/http/index.ts'
import { serveHttp } from '../../src/transports/http/index.ts'
import { BOTH, code, events, INITIALIZE, modern, post, serve, SHELLS } from './http.ts'
import { settle } from './recording-sink.ts'

describe.each(SHELLS)('the door of %s', (_shell, open) => {
  it.each([
    ['text/plain', 415],
    ['', 415],
    ['application/json-patch', 415],
    ['application/json; x', 415],
    ['application/json; charset=utf-8', 200],
  ])('answers Content-Type %j with %i', async (type, status) => {
    const server = await open()
    expect((await post(server, INITIALIZE, { 'content-type': type })).status).toBe(status)
  })

  it('refuses encodings it does not decode and answers it could not give', async () => {
    const server = await open()
    expect((await post(server, INITIALIZE, { 'content-encoding': 'gzip' })).status).toBe(415)
    expect((await post(server, INITIALIZE, { accept: 'text/html' })).status).toBe(406)
    expect((await post(server, INITIALIZE, { accept: '*/*' })).status).toBe(200)
  })

  it('answers with events when that is all the client takes', async () => {
    const server = await open()
    const response = await post(server, INITIALIZE, { accept: 'text/event-stream' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}$/)
    expect((await events(response).next()).value).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } })
  })

  it('refuses a body over the limit, with and without a length', async () => {
    const server = await open({ maxBody: 1000 })
    const response = await post(server, `"${'x'.repeat(2000)}"`)
    expect([response.status, await code(response)]).toEqual([413, 10_413])
    const chunked = await server
      .ask({
        method: 'POST',
        headers: BOTH,
        body: new ReadableStream({
          start(controller) {
            for (let i = 0; i < 10; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(500)))
            controller.close()
          },
        }),
        duplex: 'half',
      } as RequestInit)
      .catch(() => undefined)
    if (chunked !== undefined) expect(chunked.status).toBe(413)
    expect((await modern(server, 'server/discover')).status).toBe(200)
  })

  it('refuses bytes that are not UTF-8', async () => {
    const server = await open()
    const response = await server.ask({ method: 'POST', headers: BOTH, body: Uint8Array.of(0x22, 0xff, 0xfe, 0x22) })
    expect([response.status, await code(response)]).toEqual([400, -32700])
  })

  it('is 404 elsewhere', async () => {
    const server = await open()
    expect((await server.ask({ method: 'POST' }, '/other')).status).toBe(404)
  })
})

describe('the door of serveHttp()', () => {
  const raw = (
    server: HttpServer,
    headers: Record<string, string>,
    body = JSON.stringify(INITIALIZE),
    method = 'POST',
    path = '/mcp',
  ) =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port: server.port, path, method, headers: { ...BOTH, ...headers } },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      request.on('error', reject)
      request.end(body)
    })

  it.each(['evil.example', 'localhost.evil.com', 'evil@localhost', '127.0.0.1', '127.0.0.1:1', 'localhost:80'])(
    'refuses Host %j',
    async (host) => {
      const server = await serve()
      expect(await raw(server, { host })).toBeGreaterThanOrEqual(400)
      expect(await raw(server, { host: `127.0.0.1:${server.port}@evil` })).toBe(403)
    },
  )

  it('takes a target in absolute form, and the host that it names', async () => {
    const server = await serve()
    const ask = (target: string, host: string) => raw(server, { host }, undefined, 'POST', target)
    const own = `127.0.0.1:${server.port}`
    expect(await ask(`http://${own}/mcp`, own)).toBe(200)
    expect(await ask(`http://${own}/mcp`, 'evil.example')).toBe(200)
    expect(await ask('http://evil.example/mcp', own)).toBe(403)
    expect(await ask(`http://${own}/other`, own)).toBe(404)
  })

  it('takes the names of this machine, with the port', async () => {
    const server = await serve()
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])
      expect(await raw(server, { host: `${host}:${server.port}` })).toBe(200)
  })

  it('refuses a foreign Origin, and takes its own', async () => {
    const server = await serve({ allowedOrigins: ['https://app.example'] })
    const host = `127.0.0.1:${server.port}`
    for (const origin of [
      'null',
      'http://localhost:1',
      'http://localhost',
      'http://localhost.evil',
      'https://evil.example',
      `https://localhost:${server.port}`,
    ]) {
      expect([origin, await raw(server, { host, origin })]).toEqual([origin, 403])
    }
    for (const origin of [`http://localhost:${server.port}`, `http://${host}`, 'https://app.example']) {
      expect([origin, await raw(server, { host, origin })]).toEqual([origin, 200])
    }
  })

  it('refuses addresses that others can reach and hosts that are not exact, and says that a port is taken', async () => {
    const library = () => createLibrary({ name: 'acme' })
    await expect(serveHttp(library(), { host: '0.0.0.0', port: 0 })).rejects.toMatchObject({ code: 'invalid-option' })
    await expect(serveHttp(library(), { host: '192.168.1.5', port: 0 })).rejects.toMatchObject({ code: 'invalid-option' })
    await expect(serveHttp(library(), { allowedHosts: ['*'], port: 0 })).rejects.toMatchObject({ code: 'invalid-option' })
    const server = await serve()
    const error = await serveHttp(library(), { port: server.port }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'unavailable' })
    expect(String(error)).toContain(`Port ${server.port} on 127.0.0.1 is taken`)
  })

  it('lives on after half a request and a broken one', async () => {
    const server = await serve()
    for (const text of ['POST /mcp HTTP/1.1\r\nHost: x', 'nonsense\r\n\r\n', '\0\0\0']) {
      const socket = connectSocket(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(text)
      await settle()
      socket.destroy()
    }
    expect((await modern(server, 'server/discover')).status).toBe(200)
  })
})
