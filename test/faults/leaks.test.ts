import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { files } from '../../src/providers/files/index.ts'
import type { HttpServer } from '../../src/transports/http/index.ts'
import { envelope } from '../spec/engine.ts'
import { handle, INITIALIZE, modern, post, serve, session } from '../spec/http.ts'
import { temporaryTree } from '../temporary-tree.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

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
async function comeAndGo(server: HttpServer, turn: number, uri = `p:${turn}`): Promise<void> {
  const socket = listen(server, uri)
  if (turn % 3 === 0) await once(socket, 'connect')
  else await once(socket, 'data')
  if (turn % 3 === 1) socket.resetAndDestroy()
  else socket.destroy()
}

async function cycles(count: number, one: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; turn < count; turn += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => one(turn + i)))
}

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

/** How many folders the system watches for this process. */
function folderWatches(): number {
  return readdirSync('/proc/self/fdinfo').reduce((count, fd) => {
    try {
      return count + readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').split('\ninotify ').length - 1
    } catch {
      return count
    }
  }, 0)
}

describe('serveHttp() keeps nothing of clients that are gone', () => {
  it('serveHttp() forgets 3,500 listeners that came and went', async () => {
    const { provider, uris } = watched()
    const server = await serve({}, createLibrary({ name: 'acme' }).mount(provider))
    // What the engine keeps of code that runs often is there by then.
    await cycles(2_000, (turn) => comeAndGo(server, turn))
    await expect.poll(() => uris.size, { timeout: 5_000 }).toBe(0)
    const before = await memory()
    await cycles(1_500, (turn) => comeAndGo(server, turn))
    await expect.poll(() => [uris.size, sockets()], { timeout: 5_000 }).toEqual([0, 0])
    // A listener alone is more than 1,000 bytes.
    expect((await memory()) - before).toBeLessThan(1_500 * 600)
  })

  it.runIf(process.platform === 'linux')(
    'serveHttp() watches no folder, and holds nothing open, for 1,000 listeners that are gone',
    async () => {
      const tree = await temporaryTree({ 'a.txt': 'a', 'sub/b.txt': 'b' })
      const server = await serve({}, createLibrary({ name: 'acme' }).mount(files({ root: tree.root, name: 'docs' })))
      const some = (count: number) =>
        cycles(count, (turn) => comeAndGo(server, turn, `file:///docs/${turn % 2 ? 'a.txt' : 'sub/b.txt'}`))
      await some(50)
      await expect.poll(() => [folderWatches(), sockets()], { timeout: 5_000 }).toEqual([0, 0])
      const before = readdirSync('/proc/self/fd').length
      await some(1_000)
      await expect.poll(() => [folderWatches(), sockets()], { timeout: 5_000 }).toEqual([0, 0])
      expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before)
      const socket = listen(server, 'file:///docs/a.txt')
      await once(socket, 'data')
      expect(folderWatches()).toBe(2)
      socket.destroy()
    },
  )

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

describe('createFetchHandler() keeps nothing of clients that are gone', () => {
  it('createFetchHandler() forgets 2,000 listeners that came and went', async () => {
    const { provider, uris } = watched()
    const server = await handle({}, createLibrary({ name: 'acme' }).mount(provider))
    const comeAndGoAgain = async (turn: number): Promise<void> => {
      const leave = new AbortController()
      const filter = { notifications: { resourceSubscriptions: [`p:${turn}`] } }
      const answer = modern(server, 'subscriptions/listen', filter, {}, leave.signal)
      if (turn % 3 === 0) leave.abort()
      const response = await answer.catch(() => undefined)
      if (turn % 3 === 1) leave.abort()
      else await response?.body?.cancel()
    }
    await cycles(500, comeAndGoAgain)
    await expect.poll(() => uris.size).toBe(0)
    const before = await memory()
    await cycles(1_500, comeAndGoAgain)
    await expect.poll(() => uris.size).toBe(0)
    expect((await memory()) - before).toBeLessThan(1_500 * 600)
  })
})
