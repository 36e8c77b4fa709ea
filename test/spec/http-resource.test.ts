import { describe, expect, it } from 'vitest'
import type { Principal } from '../../src/index.ts'
import type { FetchOptions } from '../../src/transports/http/index.ts'
import { modern, post, SHELLS } from './http.ts'

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  readers: { id: 'reader', kind: 'authenticated', scopes: ['docs:read', 'docs:list'], claims: {} },
  listers: { id: 'lister', kind: 'authenticated', scopes: ['docs:list'], claims: {} },
}

const GUARDED: FetchOptions = {
  authenticate: (token) => (Object.hasOwn(PRINCIPALS, token) ? PRINCIPALS[token] : undefined),
  requiredScopes: ['docs:list', 'docs:read'],
  resource: { url: 'https://docs.example.com/mcp', authorizationServers: ['https://login.example.com'] },
}

const METADATA = 'https://docs.example.com/.well-known/oauth-protected-resource/mcp'
const HINTS = `resource_metadata="${METADATA}", scope="docs:list docs:read"`
const PATHS = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']

describe.each(SHELLS)('%s of a resource', (_name, open) => {
  it.each(PATHS)('says at %s, to anybody, whose tokens it takes', async (path) => {
    const server = await open(GUARDED)
    const response = await server.ask({}, path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toEqual({
      resource: 'https://docs.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['docs:list', 'docs:read'],
      bearer_methods_supported: ['header'],
    })
    const head = await server.ask({ method: 'HEAD' }, path)
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/json', ''])
    const other = await server.ask({ method: 'POST', body: '{}' }, path)
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await server.ask({ headers: { origin: 'https://evil.example' } }, path)).status).toBe(403)
  })

  it('says nothing of it where there is nothing to say, nor elsewhere', async () => {
    const bare = await open()
    for (const path of PATHS) expect((await bare.ask({}, path)).status).toBe(404)
    const server = await open(GUARDED)
    for (const path of [`${PATHS[0]}/`, `${PATHS[1]}x`, '/.well-known/oauth-authorization-server', '/'])
      expect((await server.ask({}, path)).status).toBe(404)
  })

  it('names further things that clients want to know', async () => {
    const resource = {
      url: 'https://docs.example.com',
      authorizationServers: ['https://a.example', 'https://b.example/tenant'],
      scopesSupported: ['docs:list'],
      documentation: 'https://docs.example.com/help',
    }
    const server = await open({ ...GUARDED, resource })
    for (const path of PATHS) {
      expect(await (await server.ask({}, path)).json()).toEqual({
        resource: 'https://docs.example.com',
        authorization_servers: ['https://a.example', 'https://b.example/tenant'],
        scopes_supported: ['docs:list'],
        bearer_methods_supported: ['header'],
        resource_documentation: 'https://docs.example.com/help',
      })
    }
    const challenge = (await modern(server, 'server/discover')).headers.get('www-authenticate')
    expect(challenge).toContain('resource_metadata="https://docs.example.com/.well-known/oauth-protected-resource", scope=')
  })

  it('says in each 401 where that is, and what a token needs', async () => {
    const server = await open(GUARDED)
    const bare = await modern(server, 'resources/read', { uri: 'a:1' })
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, `Bearer realm="shelfmark", ${HINTS}`])
    const bad = await modern(server, 'resources/read', { uri: 'a:1' }, { authorization: 'Bearer x' })
    expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="shelfmark", error="invalid_token", ${HINTS}`,
    ])
  })

  it('answers 403 with all scopes that are needed to a token that has not all of them, whatever is asked', async () => {
    const server = await open(GUARDED)
    const headers = { authorization: 'Bearer listers' }
    for (const response of [
      await modern(server, 'resources/read', { uri: 'a:1' }, headers),
      await post(server, 'no JSON', headers),
      await server.ask({ headers: { ...headers, accept: 'text/event-stream' } }),
    ]) {
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        403,
        `Bearer realm="shelfmark", error="insufficient_scope", ${HINTS}`,
      ])
    }
    expect((await modern(server, 'resources/read', { uri: 'a:1' }, { authorization: 'Bearer readers' })).status).toBe(200)
  })

  it.each([
    [{ resource: GUARDED.resource!, authenticate: undefined, requiredScopes: [] }, 'resource'],
    [{ resource: undefined, authenticate: undefined }, 'requiredScopes'],
    [{ requiredScopes: ['a b'] }, 'requiredScopes'],
    [{ requiredScopes: ['a"'] }, 'requiredScopes'],
    [{ resource: { ...GUARDED.resource!, authorizationServers: [] } }, 'resource'],
    [{ resource: { ...GUARDED.resource!, authorizationServers: ['http://login.example'] } }, 'resource.authorizationServers'],
    [{ resource: { ...GUARDED.resource!, scopesSupported: ['a b'] } }, 'resource'],
    [{ resource: { ...GUARDED.resource!, url: 'http://docs.example.com/mcp' } }, 'resource.url'],
    [{ resource: { ...GUARDED.resource!, url: 'https://docs.example.com/mcp#a' } }, 'resource.url'],
    [{ resource: { ...GUARDED.resource!, url: 'https://docs.example.com/mcp?a' } }, 'resource'],
    [{ resource: { ...GUARDED.resource!, url: 'https://Docs.example.com:443/mcp' } }, 'resource'],
    [{ resource: { ...GUARDED.resource!, url: 'docs.example.com/mcp' } }, 'resource.url'],
  ])('does not take %j', async (options, option) => {
    // One function throws, the other rejects.
    const opening = (async () => open({ ...GUARDED, ...options } as FetchOptions))()
    await expect(opening).rejects.toMatchObject({ code: 'invalid-option', details: { option } })
  })
})
