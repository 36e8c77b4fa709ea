import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openClient } from '../../src/client/index.ts'
import type { Client, WatchEvent } from '../../src/client/index.ts'
import { openServer } from '../../src/transports/open/index.ts'
import { beside, CLI, endpoint, Program, run, freePort } from './command-line.ts'

const PEERS = beside('../peers/node_modules')
const installed = existsSync(`${PEERS}/tmcp`)

/** A server that nobody here wrote, or that is made with what nobody here wrote. */
interface Server {
  /** What follows `node`, for stdio. */
  readonly stdio?: readonly string[]
  /** The same for HTTP, with the path of its endpoint; `PORT` is where it listens. */
  readonly web?: { readonly args: readonly string[]; readonly path: string; readonly env?: Record<string, string> }
  readonly era: 'legacy' | 'modern'
  readonly resources: readonly string[]
  readonly templates?: readonly string[]
  /** A URI, and what its text begins with. */
  readonly text?: readonly [uri: string, begins: string]
  /** A URI, and its bytes. */
  readonly bytes?: readonly [uri: string, bytes: readonly number[]]
  /** A URI whose text changes on SIGUSR2. */
  readonly changes?: string
  /** How its first resource is followed. */
  readonly followed?: 'listen' | 'subscribe' | 'poll'
}

const official = (name: string) => `${PEERS}/@modelcontextprotocol/server-${name}/dist/index.js`
const made = (name: string) => beside(`../peers/servers/${name}.mjs`)

const DOCUMENTS = ['architecture', 'extension', 'features', 'how-it-works', 'instructions', 'startup', 'structure'].map(
  (name) => `demo://resource/static/document/${name}.md`,
)
const EVERYTHING: Server = {
  era: 'legacy',
  resources: DOCUMENTS,
  templates: ['demo://resource/dynamic/text/{resourceId}', 'demo://resource/dynamic/blob/{resourceId}'],
  text: ['demo://resource/dynamic/text/7', 'Resource 7:'],
  followed: 'subscribe',
}

const SERVERS: Readonly<Record<string, Server>> = {
  'server-everything, stdio': { ...EVERYTHING, stdio: [official('everything')] },
  'server-everything, HTTP': { ...EVERYTHING, web: { args: [official('everything'), 'streamableHttp'], path: '/mcp' } },
  'server-everything, HTTP+SSE': { ...EVERYTHING, web: { args: [official('everything'), 'sse'], path: '/sse' } },
  'server-filesystem, stdio': { era: 'legacy', stdio: [official('filesystem'), beside('..')], resources: [] },
  'server-memory, stdio': {
    era: 'legacy',
    stdio: [official('memory')],
    resources: ['memory://knowledge-graph'],
    text: ['memory://knowledge-graph', '{\n  "entities"'],
    followed: 'subscribe',
  },
  'a server of SDK v1, stdio': {
    era: 'legacy',
    stdio: [beside('official-server.mjs'), 'v1'],
    resources: ['note:a', 'note:big'],
    text: ['note:a', 'a'],
    followed: 'poll',
  },
  'a server of SDK v2, stdio': {
    era: 'modern',
    stdio: [beside('official-server.mjs'), 'v2'],
    resources: ['note:a', 'note:big'],
    text: ['note:a', 'a'],
  },
  'fastmcp, stdio': fastmcp({ stdio: [made('fastmcp'), 'stdio'] }),
  'fastmcp, HTTP': fastmcp({ web: { args: [made('fastmcp'), 'http', 'PORT'], path: '/mcp' } }),
  'tmcp, stdio': tmcp({ stdio: [made('tmcp'), 'stdio'] }),
  'tmcp, HTTP': tmcp({ web: { args: [made('tmcp'), 'http', 'PORT'], path: '/mcp' } }),
}

function fastmcp(way: Pick<Server, 'stdio' | 'web'>): Server {
  return {
    ...way,
    era: 'legacy',
    resources: ['file:///logs/app.log', 'bytes:three'],
    templates: ['file:///logs/{name}.log'],
    text: ['file:///logs/web.log', 'log of web'],
    bytes: ['bytes:three', [0, 1, 2]],
    changes: 'file:///logs/app.log',
    followed: 'subscribe',
  }
}

function tmcp(way: Pick<Server, 'stdio' | 'web'>): Server {
  return {
    ...way,
    era: 'modern',
    resources: ['note://one'],
    templates: ['note://by-id/{id}'],
    text: ['note://by-id/7', 'note 7'],
    changes: 'note://one',
    followed: 'listen',
  }
}

/** Text for `<server>`, and the process where one has been started for it. */
async function start({ stdio, web }: Server): Promise<{ readonly text: string; readonly program?: Program }> {
  if (web === undefined) return { text: [process.execPath, ...stdio!].map((word) => `'${word}'`).join(' ') }
  const port = await freePort()
  const args = web.args.map((word) => (word === 'PORT' ? String(port) : word))
  const program = new Program(args, { env: { ...process.env, PORT: String(port), ...web.env } })
  onTestFinished(() => program.stop())
  const url = `http://127.0.0.1:${port}${web.path}`
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true)
  return { text: url, program }
}

async function open(server: Server): Promise<{
  readonly client: Client
  readonly notices: string[]
  readonly program?: Program
  readonly pid: () => number | undefined
}> {
  const { text, program } = await start(server)
  const notices: string[] = []
  // A process of ours, whose number is there once it is started.
  let newest: { readonly pid?: number } | undefined
  const connect = openServer(text)
  const client = openClient(
    async () => {
      const transport = await connect()
      newest = transport as { readonly pid?: number }
      return transport
    },
    { onNotice: ({ message }) => notices.push(message) },
  )
  onTestFinished(() => client.close())
  return { client, notices, ...(program && { program }), pid: () => program?.child.pid ?? newest?.pid }
}

const collect = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe.skipIf(!installed)(
  'openClient() on servers nobody here wrote (npm run conformance installs them)',
  { timeout: 60_000 },
  () => {
    it.each(Object.entries(SERVERS))('reads %s', async (_name, server) => {
      const { client, notices } = await open(server)
      expect((await client.server()).era).toBe(server.era)
      expect((await collect(client.list())).map(({ uri }) => uri)).toEqual(server.resources)
      expect((await collect(client.templates())).map(({ uriTemplate }) => uriTemplate)).toEqual(server.templates ?? [])
      for (const uri of server.resources) expect((await client.read(uri)).contents.length).toBeGreaterThan(0)
      if (server.text !== undefined) expect((await client.readText(server.text[0])).startsWith(server.text[1])).toBe(true)
      if (server.bytes !== undefined) expect([...(await client.readBytes(server.bytes[0]))]).toEqual(server.bytes[1])
      const [first] = server.resources
      if (first !== undefined) expect((await client.stat(first)).resource.uri).toBe(first)
      expect(notices).toEqual([])
    })

    it.each(Object.entries(SERVERS).filter(([, { followed }]) => followed !== undefined))('follows %s', async (_name, server) => {
      const { client, pid } = await open(server)
      const watch = client.watch([server.changes ?? server.resources[0]!])
      onTestFinished(() => watch.close())
      await watch.ready
      expect(client.subscriptions()).toEqual([
        { uri: server.changes ?? server.resources[0], state: 'followed', by: server.followed },
      ])
      if (server.changes === undefined) return
      const events: WatchEvent[] = []
      void (async () => {
        for await (const event of watch) events.push(event)
      })()
      // Some need a while until they know who listens.
      await pause(1_500)
      process.kill(pid()!, 'SIGUSR2')
      await expect.poll(() => events, { timeout: 10_000 }).toEqual([{ kind: 'updated', uri: server.changes }])
      expect(await client.readText(server.changes)).toBe('two')
    })

    it.each(Object.entries(SERVERS))('`shelfmark ls` and `read` do the same for %s', async (_name, server) => {
      const { text } = await start(server)
      const { code, stdout, stderr } = await run([CLI, 'ls', text]).ended
      expect([code, stdout, stderr]).toEqual([0, server.resources.map((uri) => `${uri}\n`).join(''), ''])
      if (server.text === undefined) return
      const read = await run([CLI, 'read', text, server.text[0]]).ended
      expect([read.code, read.stdout.startsWith(server.text[1]), read.stderr]).toEqual([0, true, ''])
    })

    it('a gateway to four of them at once keeps each apart', async () => {
      const names = ['server-everything, stdio', 'server-memory, stdio', 'tmcp, stdio', 'a server of SDK v2, stdio']
      const servers = names.map((name) => SERVERS[name]!)
      const texts = await Promise.all(servers.map((server) => start(server)))
      const program = new Program([CLI, 'serve', ...texts.map(({ text }, i) => `s${i}=mcp:${text}`), '--http', '0'])
      onTestFinished(() => program.stop())
      const client = openClient(openServer(await endpoint(program)))
      onTestFinished(() => client.close())
      const wanted = servers.flatMap(({ resources }, i) => resources.map((uri) => `s${i}+${uri}`))
      expect((await collect(client.list())).map(({ uri }) => uri)).toEqual(wanted)
      for (const [i, { text }] of servers.entries()) {
        expect((await client.readText(`s${i}+${text![0]}`)).startsWith(text![1])).toBe(true)
      }
    })
  },
)
