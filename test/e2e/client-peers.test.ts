import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openClient } from '../../src/client/index.ts'
import type { ClientOptions, Connect } from '../../src/client/index.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import { connectStdio } from '../../src/transports/stdio/index.ts'
import { beside, endpoint, Program } from './command-line.ts'

const HTTP_PEERS = {
  'ours, HTTP': [beside('fixture-server.mjs'), '--http'],
  'official, older, HTTP': [beside('official-server.mjs'), 'v1', 'session'],
  'official, newer, HTTP with sessions': [beside('official-server.mjs'), 'v2', 'session'],
  'official, newer, HTTP': [beside('official-server.mjs'), 'v2', 'http'],
  'official, HTTP+SSE': [beside('official-server.mjs'), 'v1', 'sse'],
} as const
const STDIO_PEERS = {
  'ours, stdio': [beside('fixture-server.mjs')],
  'official, older, stdio': [beside('official-server.mjs'), 'v1', 'stdio'],
  'official, newer, stdio': [beside('official-server.mjs'), 'v2', 'stdio'],
} as const

const urls = new Map<string, string>()
const programs: Program[] = []
let starts = 0

beforeAll(async () => {
  await Promise.all(
    Object.entries(HTTP_PEERS).map(async ([name, args]) => {
      const program = new Program(args)
      programs.push(program)
      urls.set(name, await endpoint(program))
    }),
  )
})
afterAll(() => Promise.all(programs.map((program) => program.stop())))

function connectTo(name: keyof typeof HTTP_PEERS | keyof typeof STDIO_PEERS): Connect {
  if (name in HTTP_PEERS) return () => connectHttp(urls.get(name)!)
  return () => {
    starts++
    return connectStdio({ command: process.execPath, args: STDIO_PEERS[name as keyof typeof STDIO_PEERS] })
  }
}

function open(connect: Connect, options: ClientOptions = {}) {
  const notices: string[] = []
  const client = openClient(connect, { onNotice: ({ message }) => void notices.push(message), ...options })
  onTestFinished(() => client.close())
  return { client, notices }
}

describe('openClient()', () => {
  it.each([
    ['ours, stdio', 'modern'],
    ['ours, HTTP', 'modern'],
    ['official, older, stdio', 'legacy'],
    ['official, older, HTTP', 'legacy'],
    ['official, HTTP+SSE', 'legacy'],
    ['official, newer, stdio', 'modern'],
    ['official, newer, HTTP', 'modern'],
    ['official, newer, HTTP with sessions', 'legacy'],
  ] as const)('lists, reads and watches a server: %s', async (name, era) => {
    starts = 0
    const { client, notices } = open(connectTo(name))
    const uris: string[] = []
    for await (const { uri } of client.list()) uris.push(uri)
    expect(uris).toContain('note:a')
    expect((await client.server()).era).toBe(era)
    expect(await client.readText('note:a')).toBe('a')
    await expect(client.read('note:nothing')).rejects.toMatchObject({ code: 'not-found' })
    expect(await client.stat('note:a')).toMatchObject({ resource: { uri: 'note:a' } })
    const watch = client.watch(['note:a'])
    await watch.ready
    expect(client.subscriptions()).toMatchObject([{ uri: 'note:a', state: 'followed' }])
    watch.close()
    expect([notices, starts]).toEqual([[], name.endsWith('stdio') ? 1 : 0])
  })

  it.each(['modern', 'legacy'] as const)('hears of changes over stdio and HTTP (%s)', async (era) => {
    for (const name of ['ours, stdio', 'ours, HTTP'] as const) {
      const { client } = open(connectTo(name), { era })
      const watch = client.watch(['note:a', 'note:b'])
      const set = client.watch('list')
      const events: string[] = []
      for (const one of [watch, set])
        void (async () => {
          for await (const event of one) events.push('uri' in event ? `${event.kind} ${event.uri}` : event.kind)
        })()
      await Promise.all([watch.ready, set.ready])
      expect(client.subscriptions().map(({ by }) => by)).toEqual(Array(3).fill(era === 'modern' ? 'listen' : 'subscribe'))
      await client.read('do:update/note:b')
      await expect.poll(() => events).toEqual(['updated note:b'])
      await client.read('do:add/1')
      await expect.poll(() => events).toEqual(['updated note:b', 'list'])
      await client.close()
    }
  })

  it('completes with earlier arguments, and sends a URI that is no ASCII over HTTP', async () => {
    const { client } = open(connectTo('ours, HTTP'))
    const completed = await client.complete('repo://{owner}/{name}', 'name', 'a', { arguments: { owner: 'o1' } })
    expect(completed.values).toEqual(['alpha', 'apple'])
    expect(await client.readText('notes:///日本/メモ')).toBe('memo')
  })

  it.each(['ours, stdio', 'ours, HTTP'] as const)('gives up on a read in time, and goes on: %s', async (name) => {
    const { client } = open(connectTo(name))
    await client.server()
    await expect(client.read('slow:5000', { timeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' })
    expect(await client.readText('note:a')).toBe('a')
  })
})
