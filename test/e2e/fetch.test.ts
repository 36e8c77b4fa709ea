import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Library } from '../../src/index.ts'
import { createFetchHandler } from '../../src/transports/http/index.ts'
import type { FetchHandler, FetchOptions } from '../../src/transports/http/index.ts'
import { BOTH, fetchFrom, INITIALIZE, modern, ORIGIN } from '../spec/http.ts'
import type { Target } from './official-clients.ts'
import { connectV1, connectV2, OFFICIAL_CLIENTS } from './official-clients.ts'

const bytes = Uint8Array.from({ length: 1_000_003 }, (_, i) => i % 251)

function notes(): Library {
  const library = createLibrary({ name: 'notes' }).resource('note:blob', () => bytes)
  for (let i = 0; i < 300; i++) library.resource(`note:${i}`, () => `Note ${i}`)
  return library
}

function open(library: Library, options: FetchOptions = {}): FetchHandler {
  const handler = createFetchHandler(library, { drainMs: 500, ...options })
  onTestFinished(() => handler.close())
  return handler
}

/** A client's network that leads to this handler and nowhere else. */
function within(handler: FetchHandler): Target {
  return { url: `${ORIGIN}/mcp`, fetch: (url, init) => fetchFrom(handler, url, init) }
}

/** A web server of `node:http` before this handler, with the official adapter between them. */
async function behindNode(handler: FetchHandler): Promise<Target & { readonly url: string }> {
  // The adapter was not written for exactOptionalPropertyTypes.
  const adapted: unknown = toNodeHandler(handler)
  const server = createServer(adapted as RequestListener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
}

describe.each([
  ['as their network', async (handler: FetchHandler) => within(handler)],
  ['behind a web server', behindNode],
])('createFetchHandler() to the official clients, %s', (_where, reach) => {
  it.each(OFFICIAL_CLIENTS)('%s lists and reads', async (name, revision, connect) => {
    const client = await connect(await reach(open(notes())))
    onTestFinished(() => client.close())
    expect(client.revision).toBe(revision)
    expect(await client.list()).toHaveLength(301)
    expect(await client.read('note:7')).toEqual([{ uri: 'note:7', mimeType: 'text/plain', text: 'Note 7' }])
    const [blob] = await client.read('note:blob')
    expect(Buffer.from(blob?.blob ?? '', 'base64').equals(bytes)).toBe(true)
    await expect(client.read('note:none')).rejects.toMatchObject({ code: name === 'sdk 1.32.2' ? -32002 : -32602 })
  })

  it('client 2.4.0 listens, is told of an update, and of the end', async () => {
    const library = notes()
    const handler = open(library)
    const told: string[] = []
    const client = await connectV2(await reach(handler), { pin: '2026-07-28' }, (fresh) => {
      fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
    })
    onTestFinished(() => client.close())
    const subscription = await client.listen({ resourceSubscriptions: ['note:1', 'note:none'] })
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: ['note:1'] })
    library.updated('note:2')
    library.updated('note:1')
    await expect.poll(() => told).toEqual(['note:1'])
    await handler.close()
    expect(await subscription.closed).toBe('graceful')
  })

  it('client 2.4.0 in the legacy era, and sdk 1.32.2, subscribe and are told on their stream', async () => {
    const library = notes()
    const handler = open(library)
    const told: string[] = []
    const target = await reach(handler)
    const newer = await connectV2(target, 'legacy', (fresh) => {
      fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(`newer ${params.uri}`))
    })
    const older = await connectV1(target, (fresh) => {
      fresh.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(`older ${params.uri}`))
    })
    onTestFinished(async () => {
      await newer.close()
      await older.close()
    })
    await newer.subscribeResource({ uri: 'note:1' })
    await older.subscribeResource({ uri: 'note:2' })
    library.updated('note:1')
    await expect.poll(() => told).toEqual(['newer note:1'])
    library.updated('note:2')
    await expect.poll(() => told).toEqual(['newer note:1', 'older note:2'])
    expect(handler.sessions).toBe(2)
  })
})

describe('createFetchHandler() behind a web server', () => {
  it('createFetchHandler() serves no other name of this machine than those it knows', async () => {
    const { url } = await behindNode(open(notes()))
    const { port } = new URL(url)
    const status = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(url, { method: 'POST', headers: { ...BOTH, ...headers } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        request.on('error', reject)
        request.end(JSON.stringify(INITIALIZE))
      })
    const names = [`127.0.0.1:${port}`, `LOCALHOST:${port}`, 'evil.example', `localhost.evil.com:${port}`, `evil:${port}`]
    expect(await Promise.all(names.map((host) => status({ host })))).toEqual([200, 200, 403, 403, 403])
    for (const host of ['evil@localhost', `127.0.0.1:${port}@evil`, `localhost:${port}/x?`, 'localhost:99999'])
      expect([host, (await status({ host }))! >= 400]).toEqual([host, true])
    const pages = [`http://localhost:${port}`, 'http://localhost:1', 'http://localhost', 'null', 'https://evil.example']
    expect(await Promise.all(pages.map((origin) => status({ origin })))).toEqual([200, 403, 403, 403, 403])
  })

  it('createFetchHandler() notices a client that goes, and takes no more of a blob than one reads', async () => {
    const taken = { parts: 0, open: 0 }
    const library = createLibrary({ name: 'acme' }).resource('x:blob', ({ uri }) => [
      {
        uri,
        bytes: {
          size: 400 * 1024 * 1024,
          async *open() {
            taken.open++
            try {
              for (; taken.parts < 400; taken.parts++) yield new Uint8Array(1024 * 1024)
            } finally {
              taken.open--
            }
          },
        },
      },
    ])
    const { url } = await behindNode(open(library, { limits: { maxRead: 400 * 1024 * 1024 } }))
    const leave = new AbortController()
    const way = { ask: (init: RequestInit) => fetch(url, init) }
    const response = await modern(way, 'resources/read', { uri: 'x:blob' }, {}, leave.signal)
    expect(response.status).toBe(200)
    await expect.poll(() => taken.parts).toBeGreaterThan(0)
    await pause(300)
    // The buffers of two sockets and of the client hold some.
    expect(taken.parts).toBeLessThan(40)
    leave.abort()
    await expect.poll(() => taken.open).toBe(0)
    expect(taken.parts).toBeLessThan(40)
  })
})
