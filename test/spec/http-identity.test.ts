import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Principal } from '../../src/index.ts'
import { checkHttpOptions } from '../../src/transports/http/index.ts'
import { code, INITIALIZE, modern, post, serve, SHELLS } from './http.ts'
import type { Way } from './http.ts'

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  alices: { id: 'alice', kind: 'authenticated', scopes: ['read'], claims: {} },
  bobs: { id: 'bob', kind: 'authenticated', scopes: [], claims: {} },
}

const authenticate = (token: string): Principal | undefined => (Object.hasOwn(PRINCIPALS, token) ? PRINCIPALS[token] : undefined)
const as = (token: string) => ({ authorization: `Bearer ${token}` })

/** A Library that says who reads it. */
function mirror() {
  const library = createLibrary({ name: 'mirror' }).resource('me:1', ({ principal }) => `${principal.kind} ${principal.id}`)
  for (let i = 0; i < 500; i++) library.resource(`n:${i}`, () => '')
  return library
}

async function whoReads(way: Way, headers: Record<string, string>): Promise<unknown> {
  const { result } = (await (await modern(way, 'resources/read', { uri: 'me:1' }, headers)).json()) as {
    result: { contents: readonly { text: string }[] }
  }
  return result.contents[0]?.text
}

describe.each(SHELLS)('%s with tokens', (_name, open) => {
  it.each([
    ['at once', authenticate],
    ['after a while', async (token: string) => Promise.resolve(authenticate(token))],
  ])('knows who asks, told %s', async (_when, way) => {
    const server = await open({ authenticate: way }, mirror())
    expect(await whoReads(server, as('alices'))).toBe('authenticated alice')
    expect(await whoReads(server, as('bobs'))).toBe('authenticated bob')
  })

  it('answers nobody else, whatever is asked', async () => {
    const server = await open({ authenticate }, mirror())
    for (const headers of [{}, as('carols'), { authorization: 'Basic YTpi' }]) {
      for (const response of [
        await modern(server, 'server/discover', {}, headers),
        await modern(server, 'resources/read', { uri: 'me:1' }, headers),
        await post(server, INITIALIZE, headers),
        await post(server, 'no JSON', headers),
        await server.ask({ headers: { ...headers, accept: 'text/event-stream' } }),
        await server.ask({ method: 'DELETE', headers }),
      ]) {
        expect([response.status, response.headers.get('www-authenticate')?.startsWith('Bearer realm=')]).toEqual([401, true])
      }
    }
    expect(server.sessions).toBe(0)
  })

  it('keeps sessions and cursors apart', async () => {
    const server = await open({ authenticate }, mirror())
    const opened = await post(server, INITIALIZE, as('alices'))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
    const list = { jsonrpc: '2.0', id: 2, method: 'resources/list', params: {} }
    expect((await post(server, list, { ...session, ...as('alices') })).status).toBe(200)
    expect((await post(server, list, { ...session, ...as('bobs') })).status).toBe(404)
    expect((await server.ask({ method: 'DELETE', headers: { ...session, ...as('bobs') } })).status).toBe(404)
    const odd = { ...as('bobs'), 'mcp-protocol-version': '9999-01-01' }
    const ofAlice = await post(server, list, { ...session, ...odd })
    const ofNobody = await post(server, list, { 'mcp-session-id': '0'.repeat(32), ...odd })
    expect([ofAlice.status, await ofAlice.text()]).toEqual([ofNobody.status, await ofNobody.text()])
    const page = (await (await modern(server, 'resources/list', {}, as('alices'))).json()) as { result: { nextCursor: string } }
    const { nextCursor: cursor } = page.result
    expect(await code(await modern(server, 'resources/list', { cursor }, as('alices')))).toBeUndefined()
    expect(await code(await modern(server, 'resources/list', { cursor }, as('bobs')))).toBe(-32_602)
  })

  it('answers 503 while it cannot be found out who asks', async () => {
    const errors: unknown[] = []
    const server = await open({
      authenticate: () => Promise.reject(new Error('the directory is down')),
      onError: (error) => errors.push(error),
    })
    const response = await modern(server, 'resources/read', { uri: 'me:1' }, as('alices'))
    expect([response.status, await response.text()]).toEqual([503, expect.not.stringContaining('directory')])
    expect(errors).toEqual([new Error('the directory is down')])
  })
})

describe('HttpServer.replace()', () => {
  const status = async (way: Way, headers: Record<string, string> = {}) =>
    (await modern(way, 'resources/read', { uri: 'me:1' }, headers)).status

  it('asks for tokens, and no longer, from the next request on', async () => {
    const server = await serve({}, mirror())
    expect(await whoReads(server, {})).toBe('local local')
    server.replace({ authenticate })
    expect([await status(server), await whoReads(server, as('alices'))]).toEqual([401, 'authenticated alice'])
    server.replace({})
    expect(await whoReads(server, {})).toBe('local local')
  })

  it('puts a session of before out of reach of who comes with a token', async () => {
    const server = await serve({}, mirror())
    const opened = await post(server, INITIALIZE)
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
    server.replace({ authenticate })
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
    expect((await post(server, ping, { ...session, ...as('alices') })).status).toBe(404)
  })

  it('allows other origins, and those of before no longer', async () => {
    const [one, other] = [{ origin: 'https://one.example' }, { origin: 'https://other.example' }]
    const server = await serve({ allowedOrigins: [one.origin] }, mirror())
    expect([await status(server, one), await status(server, other)]).toEqual([200, 403])
    server.replace({ allowedOrigins: [other.origin] })
    expect([await status(server, one), await status(server, other)]).toEqual([403, 200])
  })

  it('refuses what serveHttp() refuses, and changes nothing then', async () => {
    const server = await serve({ host: '0.0.0.0', behindProxy: true, authenticate }, mirror())
    expect(() => server.replace({})).toThrow('host "0.0.0.0" can be reached by others, who could read everything')
    expect(() => server.replace({ authenticate, allowedHosts: ['*'] })).toThrow('allowedHosts takes exact values')
    const local = server.url.replace('0.0.0.0', '127.0.0.1')
    expect((await fetch(local, { method: 'POST', headers: { 'content-type': 'application/json', accept: '*/*' } })).status).toBe(
      401,
    )
  })
})

describe('checkHttpOptions()', () => {
  it.each([
    [{ host: '0.0.0.0' }, 'who could read everything'],
    [{ host: '0.0.0.0', authenticate }, 'tokens would cross the network in the open'],
    [{ allowedOrigins: ['https://a.example/path'] }, 'allowedOrigins takes exact values'],
    [{ tls: { cert: 'no PEM', key: 'no PEM' } }, 'The certificate and key cannot be used'],
    [{ requiredScopes: ['read'] }, 'nobody has a scope without authenticate'],
  ])('refuses %j without serving anything', async (options, message) => {
    await expect(checkHttpOptions(options)).rejects.toThrow(message)
  })

  it('takes the defaults', async () => {
    await expect(checkHttpOptions({})).resolves.toBe(undefined)
  })
})
