import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { fastify } from 'fastify'
import { createLibrary } from 'shelfmark'
import { createFastifyHandler } from 'shelfmark/adapters/fastify'
import { openClient } from 'shelfmark/client'
import { connectHttp, createNodeHandler } from 'shelfmark/transports/http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { app as expressApp, mcp as expressMcp } from '../../examples/adapters/express.ts'
import { app as fastifyApp } from '../../examples/adapters/fastify.ts'
import { app as honoApp, mcp as honoMcp } from '../../examples/adapters/hono.ts'
import { settleable } from '../../src/library/index.ts'
import { envelope } from '../spec/engine.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function end(server: Server): void {
  server.closeAllConnections()
  server.close()
}

/** Starts an application, and says where it is and how it ends. */
type Start = () => Promise<{ readonly origin: string; readonly stop: () => Promise<void> }>

const APPLICATIONS: readonly (readonly [name: string, start: Start])[] = [
  [
    'Express',
    async () => {
      const server = createServer(expressApp)
      return {
        origin: await listening(server),
        stop: async () => {
          await expressMcp.close()
          end(server)
        },
      }
    },
  ],
  [
    'Hono',
    async () => {
      const server = createAdaptorServer({ fetch: honoApp.fetch }) as Server
      return {
        origin: await listening(server),
        stop: async () => {
          await honoMcp.close()
          end(server)
        },
      }
    },
  ],
  [
    'Fastify',
    async () => ({
      origin: await fastifyApp.listen({ port: 0, host: '127.0.0.1' }),
      stop: async () => {
        await fastifyApp.close()
      },
    }),
  ],
]

describe.each(APPLICATIONS)('an application of %s', (_name, start) => {
  let origin: string
  let stop: () => Promise<void>
  beforeAll(async () => {
    const started = await start()
    origin = started.origin
    stop = started.stop
  })
  afterAll(() => stop())

  it.each(OFFICIAL_CLIENTS)('serves a Library to %s', async (_client, revision, connect) => {
    const client = await connect({ url: `${origin}/mcp` })
    onTestFinished(() => client.close())
    expect(client.revision).toBe(revision)
    expect((await client.list()).map(({ uri }) => uri)).toEqual(['desk://hours'])
    expect(await client.read('desk://hours')).toMatchObject([{ text: 'Monday to Friday, 9 to 18' }])
    await expect(client.read('desk://none')).rejects.toThrow('Resource not found')
  })

  it('keeps its other routes, and refuses what comes under another name', async () => {
    expect(await (await fetch(`${origin}/health`)).text()).toBe('ok')
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' }
    expect((await fetch(`${origin}/mcp`, { method: 'POST', headers, body: '{}' })).status).toBe(403)
  })
})

const readOfHours = () => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'resources/read',
  params: { uri: 'desk://hours', _meta: envelope() },
})

const readHours = (url: string, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': 'desk://hours',
    },
    body: JSON.stringify(readOfHours()),
    ...(signal && { signal }),
  })

const post = (url: string, body: string) => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

describe('createNodeHandler()', () => {
  it('streams what is told of changes, until it is closed', async () => {
    const library = createLibrary({ name: 'desk' }).resource('desk://hours', () => 'Monday')
    const handler = createNodeHandler(library)
    const server = createServer((request, response) => void handler.handle(request, response))
    const origin = await listening(server)
    const client = openClient(() => connectHttp(origin))
    onTestFinished(async () => {
      await client.close()
      end(server)
    })
    const watch = client.watch(['desk://hours'])
    await watch.ready
    library.updated('desk://hours')
    for await (const change of watch) {
      expect(change).toEqual({ kind: 'updated', uri: 'desk://hours' })
      break
    }
    await handler.close()
    expect((await post(origin, '{}')).status).toBe(503)
  })

  it('takes bodies up to its limit, and gives large ones whole', async () => {
    const bytes = new Uint8Array(3_000_000).fill(7)
    const library = createLibrary({ name: 'desk' }).resource('desk://big', () => bytes)
    const handler = createNodeHandler(library)
    const server = createServer((request, response) => void handler.handle(request, response))
    const origin = await listening(server)
    const client = openClient(() => connectHttp(origin))
    onTestFinished(async () => {
      await client.close()
      await handler.close()
      end(server)
    })
    const reading = await client.read('desk://big')
    const [only] = reading.kind === 'contents' ? reading.contents : []
    expect(Buffer.compare(only?.bytes ?? Buffer.of(), bytes)).toBe(0)
    expect((await post(origin, 'x'.repeat(8_000_000))).status).toBe(413)
    expect((await fetch(origin, { method: 'POST', body: 'x'.repeat(8_000_000) })).status).toBe(415)
  })

  it('cancels what its client has left before it came here', async () => {
    let asked = false
    const library = createLibrary({ name: 'desk' }).resource('desk://hours', () => {
      asked = true
      return ''
    })
    const errors: unknown[] = []
    const handler = createNodeHandler(library, { onError: (error) => errors.push(error) })
    const leaving = new AbortController()
    const { promise: handled, resolve: handling } = settleable<unknown>()
    const server = createServer((request, response) => {
      const body = readOfHours()
      request.resume().once('end', () => leaving.abort())
      response.once('close', () => handling(handler.handle(Object.assign(request, { body }), response)))
    })
    const origin = await listening(server)
    onTestFinished(async () => {
      await handler.close()
      end(server)
    })
    await expect(readHours(origin, leaving.signal)).rejects.toThrow('aborted')
    await handled
    expect([asked, errors]).toEqual([false, []])
  })

  it('says so when the body was read before and is not handed on', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const handler = createNodeHandler(createLibrary({ name: 'desk' }), { onError })
    const server = createServer((request, response) => {
      request.resume().once('end', () => void handler.handle(request, response))
    })
    const origin = await listening(server)
    onTestFinished(async () => {
      await handler.close()
      end(server)
    })
    expect((await readHours(origin)).status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^The body of the Request was read before it came here/) }])
  })

  it('leaves alone what was answered before, whatever came', async () => {
    const handler = createNodeHandler(createLibrary({ name: 'desk' }))
    const { promise: handled, resolve: handling } = settleable<unknown>()
    const server = createServer((request, response) => {
      response.end('before')
      // As a request of no use has it.
      request.url = '*'
      handling(handler.handle(request, response))
    })
    const origin = await listening(server)
    onTestFinished(async () => {
      await handler.close()
      end(server)
    })
    expect(await (await fetch(origin)).text()).toBe('before')
    await expect(handled).resolves.toBeUndefined()
  })
})

describe('createFastifyHandler()', () => {
  it('answers where each 401 says that clients find whose tokens are taken', async () => {
    const mcp = createFastifyHandler(createLibrary({ name: 'desk' }), {
      path: '/desk/mcp',
      authenticate: () => undefined,
      resource: { url: 'http://localhost/desk/mcp', authorizationServers: ['https://login.example'] },
    })
    const app = fastify()
    app.register(mcp.plugin)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(async () => {
      await app.close()
    })
    const challenge = (await fetch(`${origin}/desk/mcp`)).headers.get('www-authenticate')
    const [, metadata = ''] = /resource_metadata="([^"]*)"/.exec(challenge ?? '') ?? []
    expect(metadata).toBe('http://localhost/.well-known/oauth-protected-resource/desk/mcp')
    expect(await (await fetch(origin + new URL(metadata).pathname)).json()).toMatchObject({
      resource: 'http://localhost/desk/mcp',
      authorization_servers: ['https://login.example'],
    })
  })

  it('keeps the headers that other plugins set', async () => {
    const mcp = createFastifyHandler(createLibrary({ name: 'desk' }))
    const app = fastify()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('access-control-allow-origin', 'http://localhost:5173').header('x-served-by', 'desk')
    })
    app.register(mcp.plugin)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(async () => {
      await app.close()
    })
    const { headers } = await fetch(`${origin}/mcp`)
    expect([headers.get('access-control-allow-origin'), headers.get('x-served-by')]).toEqual(['http://localhost:5173', 'desk'])
  })
})
