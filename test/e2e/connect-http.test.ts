import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectHttp } from '../../src/transports/http/index.ts'
import { MODERN_META, talk } from '../talk.ts'
import { beside, endpoint, Program } from './command-line.ts'

const PEERS = {
  ours: [beside('fixture-server.mjs'), '--http'],
  'official, older': [beside('official-server.mjs'), 'v1', 'session'],
  'official, newer, legacy': [beside('official-server.mjs'), 'v2', 'session'],
  'official, newer, modern': [beside('official-server.mjs'), 'v2', 'http'],
  'official, HTTP+SSE': [beside('official-server.mjs'), 'v1', 'sse'],
} as const

const urls = new Map<string, string>()
const programs: Program[] = []

beforeAll(async () => {
  await Promise.all(
    Object.entries(PEERS).map(async ([name, args]) => {
      const program = new Program(args)
      programs.push(program)
      urls.set(name, await endpoint(program))
    }),
  )
})
afterAll(() => Promise.all(programs.map((program) => program.stop())))

const urlOf = (name: keyof typeof PEERS) => urls.get(name)!

describe('connectHttp()', () => {
  it.each([
    ['ours', '2025-03-26'],
    ['ours', '2025-11-25'],
    ['official, older', '2025-11-25'],
    ['official, newer, legacy', '2025-11-25'],
  ] as const)('connectHttp() talks to a server (%s) in a session of %s', async (name, revision) => {
    const opened = await talk(connectHttp(urlOf(name)))
    expect(await opened.initialize(revision)).toMatchObject({ protocolVersion: revision })
    expect(opened.wire.hasPerRequestStream).toBe(true)
    expect(await opened.wire.hears?.()).toBe(true)
    expect((await opened.ask('resources/read', { uri: 'note:a' })).result).toMatchObject({ contents: [{ text: 'a' }] })
    const many = await Promise.all(Array.from({ length: 40 }, () => opened.ask('resources/read', { uri: 'note:a' })))
    expect(many.every(({ result }) => result !== undefined)).toBe(true)
    expect((await opened.ask('no/such')).error).toMatchObject({ code: -32601 })
    await opened.wire.close()
    expect([opened.closes, opened.wire.closeReason, opened.errors]).toEqual([1, undefined, []])
  })

  it.each(['ours', 'official, newer, modern'] as const)(
    'connectHttp() talks to a server (%s) without a session',
    async (name) => {
      const opened = await talk(connectHttp(urlOf(name)))
      expect((await opened.ask('server/discover', { _meta: MODERN_META })).result).toMatchObject({ resultType: 'complete' })
      const { result } = await opened.ask('resources/read', { uri: 'note:a', _meta: MODERN_META })
      expect(result).toMatchObject({ contents: [{ text: 'a' }] })
      // 404 with -32601, and 400 with -32022.
      expect((await opened.ask('no/such', { _meta: MODERN_META })).error).toMatchObject({ code: -32601 })
      const later = { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }
      expect((await opened.ask('resources/list', { _meta: later })).error).toMatchObject({ code: -32022 })
      await opened.wire.close()
      expect([opened.closes, opened.wire.closeReason, opened.errors]).toEqual([1, undefined, []])
    },
  )

  it('connectHttp() reads a name that no header can have', async () => {
    const opened = await talk(connectHttp(urlOf('ours')))
    const { result } = await opened.ask('resources/read', { uri: 'notes:///日本/メモ', _meta: MODERN_META })
    expect(result).toMatchObject({ contents: [{ text: 'memo' }] })
  })

  it('connectHttp() ends the stream of a request that is given up, and of no other', async () => {
    const opened = await talk(connectHttp(urlOf('ours')))
    const ended: string[] = []
    const listen = (name: string, signal?: AbortSignal) =>
      opened.wire.send(
        {
          jsonrpc: '2.0',
          id: name,
          method: 'subscriptions/listen',
          params: { _meta: MODERN_META, notifications: { resourcesListChanged: true } },
        },
        { ...(signal && { requestSignal: signal }), onRequestStreamEnd: (reason) => ended.push(`${name} ${reason?.message}`) },
      )
    const first = new AbortController()
    await listen('first', first.signal)
    await listen('second')
    const acknowledged = () =>
      opened.messages.filter(({ method }) => method === 'notifications/subscriptions/acknowledged').length
    await opened.until(() => acknowledged() === 2)
    first.abort()
    await opened.ask('resources/read', { uri: 'do:add/1', _meta: MODERN_META })
    await opened.until(() => opened.messages.find(({ method }) => method === 'notifications/resources/list_changed'))
    expect(ended).toEqual([])
    const gone = new AbortController()
    const slow = opened.ask('resources/read', { uri: 'slow:60000', _meta: MODERN_META }, { requestSignal: gone.signal })
    setTimeout(() => gone.abort(), 50)
    await expect(slow).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('connectHttp() hears what a server says unasked in a session', async () => {
    const opened = await talk(connectHttp(urlOf('ours')))
    await opened.initialize()
    await opened.wire.hears?.()
    await opened.ask('resources/read', { uri: 'do:add/1' })
    await opened.until(() => opened.messages.find(({ method }) => method === 'notifications/resources/list_changed'))
  })

  it('connectHttp() closes the connection when the session is over', async () => {
    const opened = await talk(connectHttp(urlOf('ours')))
    await opened.initialize()
    const sessions: string[] = []
    const spied = connectHttp(urlOf('ours'), {
      fetch: async (url, init) => {
        const id = new Headers(init?.headers).get('mcp-session-id')
        if (id !== null) sessions.push(id)
        return fetch(url, init)
      },
    })
    const other = await talk(spied)
    await other.initialize()
    await other.ask('resources/read', { uri: 'note:a' })
    await fetch(urlOf('ours'), { method: 'DELETE', headers: { 'mcp-session-id': sessions[0]! } })
    // Either the stream ends, or the next request finds out.
    await expect(other.ask('resources/read', { uri: 'note:a' })).rejects.toMatchObject({ code: 'unavailable' })
    await other.closed()
    expect(other.wire.closeReason).toMatchObject({ code: 'unavailable' })
    expect((await opened.ask('resources/read', { uri: 'note:a' })).result).toBeDefined()
  })

  it('connectHttp() falls back to HTTP+SSE', async () => {
    const opened = await talk(connectHttp(urlOf('official, HTTP+SSE')))
    await expect(opened.ask('server/discover', { _meta: MODERN_META })).rejects.toMatchObject({ code: 'unsupported' })
    expect(await opened.initialize('2024-11-05')).toMatchObject({ protocolVersion: '2024-11-05' })
    expect(opened.wire.hasPerRequestStream).toBe(false)
    expect(await opened.wire.hears?.()).toBe(true)
    expect((await opened.ask('resources/read', { uri: 'note:a' })).result).toMatchObject({ contents: [{ text: 'a' }] })
    expect((await opened.ask('resources/read', { uri: 'note:big' })).result).toBeDefined()
    await opened.wire.close()
    expect([opened.closes, opened.wire.closeReason, opened.errors]).toEqual([1, undefined, []])
  })

  it('connectHttp() keeps its limits over HTTP+SSE, and ends when the stream does', async () => {
    const opened = await talk(connectHttp(urlOf('official, HTTP+SSE'), { maxFrame: 100_000 }))
    await opened.initialize('2024-11-05')
    await opened.wire.send({ jsonrpc: '2.0', id: 9, method: 'resources/read', params: { uri: 'note:big' } })
    await opened.closed()
    expect(opened.wire.closeReason).toMatchObject({ code: 'too-large', details: { limit: 100_000 } })
    await expect(opened.ask('ping')).rejects.toMatchObject({ code: 'too-large' })
  })
})
