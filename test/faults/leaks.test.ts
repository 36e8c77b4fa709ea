import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import type { HttpServer } from '../../src/transports/http/index.ts'
import { envelope } from '../spec/engine.ts'
import { INITIALIZE, post, serve, session } from '../spec/http.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function pause(ms: number) {
  return new Promise<void>((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** Bytes in use, on the heap and in buffers, when what is garbage has gone. */
async function memory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await pause(10)
    gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A provider that knows which URIs are being watched. */
function watched() {
  const uris = new Set<string>()
  const provider: Provider = {
    name: 'p',
    prefixes: ['p:'],
    list: async () => ({ items: [] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    stat: async ({ uri }) => ({ resource: { uri, name: uri } }),
    watch: async () => ({
      add: async (uri) => void uris.add(uri),
      remove: (uri) => void uris.delete(uri),
      [Symbol.asyncDispose]: async () => {},
    }),
  }
  return { provider, uris }
}

function listen(server: HttpServer, uri: string): Socket {
  const params = { _meta: envelope(), notifications: { resourceSubscriptions: [uri], resourcesListChanged: true } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    [
      'POST /mcp HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      'Content-Type: application/json',
      'MCP-Protocol-Version: 2026-07-28',
      'Mcp-Method: subscriptions/listen',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  return socket
}

/** Connects, listens, and leaves: before the answer, politely after it, or with a reset. */
async function comeAndGo(server: HttpServer, turn: number): Promise<void> {
  const socket = listen(server, `p:${turn}`)
  if (turn % 3 === 0) await once(socket, 'connect')
  else await once(socket, 'data')
  if (turn % 3 === 1) socket.resetAndDestroy()
  else socket.destroy()
}

async function cycles(count: number, one: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; turn < count; turn += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => one(turn + i)))
}

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

describe('serveHttp() keeps nothing of clients that are gone', () => {
  it('serveHttp() forgets 1,500 listeners that came and went', async () => {
    const { provider, uris } = watched()
    const server = await serve({}, createLibrary({ name: 'acme' }).mount(provider))
    await cycles(500, (turn) => comeAndGo(server, turn))
    await expect.poll(() => uris.size, { timeout: 5_000 }).toBe(0)
    const before = await memory()
    await cycles(1_000, (turn) => comeAndGo(server, turn))
    await expect.poll(() => [uris.size, sockets()], { timeout: 5_000 }).toEqual([0, 0])
    // A listener alone is more than 1,000 bytes.
    expect((await memory()) - before).toBeLessThan(1_000 * 600)
  })

  it('serveHttp() forgets 300 sessions that were ended, with what they subscribed to', async () => {
    const { provider, uris } = watched()
    const server = await serve({}, createLibrary({ name: 'acme' }).mount(provider))
    await cycles(300, async (turn) => {
      const headers = await session(server)
      const params = { uri: `p:${turn}` }
      await (await post(server, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params }, headers)).text()
      await fetch(server.url, { method: 'DELETE', headers })
    })
    expect([server.sessions, uris.size]).toEqual([0, 0])
    expect((await post(server, INITIALIZE)).status).toBe(200)
  })

  it('serveHttp() keeps 400,000 updates of a client that does not read in no more room than one', async () => {
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => '')
    const server = await serve({}, library)
    const socket = listen(server, 'x:1')
    await once(socket, 'data')
    socket.pause()
    const before = await memory()
    for (let i = 0; i < 400_000; i++) {
      library.updated('x:1')
      // Every so often one leaves, until nothing more fits between the two.
      if (i % 20 === 0) await new Promise(setImmediate)
    }
    expect((await memory()) - before).toBeLessThan(5_000_000)
    socket.destroy()
  })
})
