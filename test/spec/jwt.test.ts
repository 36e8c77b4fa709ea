import { createHmac, createPublicKey } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { jwtTokens, serveHttp } from '../../src/transports/http/index.ts'
import type { JwtOptions } from '../../src/transports/http/index.ts'
import { endpointThat } from '../faults/hostile-endpoint.ts'
import { modern, SHELLS } from './http.ts'
import { openIssuer, RESOURCE, seconds } from './issuer.ts'
import type { Issuer } from './issuer.ts'

/** Who these tokens are of, by an issuer. */
function taking(issuer: Issuer, options: Partial<JwtOptions> = {}) {
  return jwtTokens({ issuer: issuer.url, audience: RESOURCE, ...options })
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A signature of nobody, under a header and claims as wanted. */
const forged = (header: object, claims: object, signature = 'AAAA'): string => `${part(header)}.${part(claims)}.${signature}`

/** What a token of this issuer would say. */
const claimsOf = (issuer: Issuer) => ({ iss: issuer.url, aud: RESOURCE, sub: 'alice', exp: seconds(300) })

describe('jwtTokens()', () => {
  it('knows who a token is of, by keys where the metadata of the issuer says', async () => {
    const issuer = await openIssuer()
    const exp = seconds(300)
    expect(await taking(issuer)(await issuer.sign({ exp, groups: ['staff'] }))).toMatchObject({
      id: `${issuer.url} app alice`,
      kind: 'authenticated',
      scopes: ['read'],
      claims: { groups: ['staff'] },
      expiresAt: (exp + 60) * 1_000,
    })
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys'])
  })

  it.each(['RS256', 'PS384', 'ES384'])('verifies %s', async (algorithm) => {
    const issuer = await openIssuer(algorithm)
    const authenticate = taking(issuer, { jwksUri: issuer.jwksUri })
    expect(await authenticate(await issuer.sign())).toMatchObject({ id: `${issuer.url} app alice` })
    expect(issuer.asked).toEqual(['/keys'])
  })

  it('takes a token for one of many, and one that was over for a moment or is not good yet for another', async () => {
    const issuer = await openIssuer()
    const authenticate = taking(issuer)
    for (const claims of [
      { aud: ['https://other.example', RESOURCE] },
      { exp: seconds(-50) },
      { nbf: seconds(50) },
      { nbf: seconds(-50), iat: seconds(50) },
    ]) {
      expect(await authenticate(await issuer.sign(claims))).toMatchObject({ id: `${issuer.url} app alice` })
    }
    for (const typ of ['JWT', 'jwt', 'application/at+jwt', undefined] as string[]) {
      expect(await authenticate(await issuer.sign({}, { typ }))).toBeDefined()
    }
    const strict = taking(issuer, { clockToleranceS: 0 })
    expect(await strict(await issuer.sign({ exp: seconds(-1) }))).toBeUndefined()
  })

  it('asks nobody about a token that cannot be good', async () => {
    const issuer = await openIssuer()
    const authenticate = taking(issuer)
    for (const token of [
      forged({ alg: 'none' }, claimsOf(issuer)),
      forged({ alg: 'HS256', kid: 'first' }, claimsOf(issuer)),
      forged({ alg: 'ES256', typ: 'secevent+jwt' }, claimsOf(issuer)),
      await issuer.sign({}, { kid: 'k'.repeat(257) }),
      await issuer.sign({ more: 'x'.repeat(16 * 1024) }),
      'garbage',
    ]) {
      expect(await authenticate(token)).toBeUndefined()
    }
    expect(issuer.asked).toEqual([])
  })

  it('takes a key into use that the issuer signs with since, and refuses the one before', async () => {
    const issuer = await openIssuer()
    const clock = createFakeClock(Date.now())
    const authenticate = taking(issuer, { clock })
    const old = await issuer.sign()
    expect(await authenticate(old)).toBeDefined()
    await issuer.rotate('second')
    clock.advance(10_000)
    expect(await authenticate(await issuer.sign())).toBeDefined()
    expect(await authenticate(old)).toBeUndefined()
  })

  it('rejects while no key can be had, then works again, and lives on known keys in between', async () => {
    const issuer = await openIssuer()
    const clock = createFakeClock(Date.now())
    const authenticate = taking(issuer, { clock })
    issuer.down = { status: 500 }
    await expect(authenticate(await issuer.sign())).rejects.toMatchObject({
      code: 'unavailable',
      message: `${issuer.jwksUri} answered 500, where 200 is wanted`,
    })
    issuer.down = undefined
    clock.advance(10_000)
    expect(await authenticate(await issuer.sign())).toBeDefined()
    issuer.down = { status: 500 }
    clock.advance(14 * 60_000)
    const exp = seconds(3_600)
    expect(await authenticate(await issuer.sign({ exp }))).toBeDefined()
    clock.advance(60_000)
    await expect(authenticate(await issuer.sign({ exp }))).rejects.toMatchObject({ code: 'unavailable' })
  })

  it.each([
    ['a redirect', { status: 302, headers: { location: '/.well-known/oauth-authorization-server' } }, 'answered 302'],
    ['too many bytes', { status: 200, text: `{"keys":["${'x'.repeat(300_000)}"]}` }, 'more than 262144 bytes'],
    ['no JSON', { status: 200, text: '<html>' }, 'no JSON object'],
    ['a list', { status: 200, text: '[]' }, 'no JSON object'],
    ['no keys', { status: 200, text: '{}' }, 'no set of keys'],
    ['too many keys', { status: 200, text: JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) }) }, 'at most 100'],
    ['keys that are none', { status: 200, text: '{"keys":[7]}' }, 'no set of keys'],
  ])('does not take %s for keys', async (_what, down, message) => {
    const issuer = await openIssuer()
    issuer.down = down
    await expect(taking(issuer)(await issuer.sign())).rejects.toThrow(message)
  })

  it.each([
    ['of another issuer', { issuer: 'https://honest.example' }, 'not of the issuer'],
    ['whose keys are reached in the open', { jwks_uri: 'http://keys.example/' }, 'names keys where none are fetched'],
    ['without keys', { jwks_uri: undefined }, 'names keys where none are fetched'],
  ])('does not use metadata %s', async (_what, more, message) => {
    const issuer = await openIssuer()
    issuer.metadata = { ...issuer.metadata, ...more }
    // The last document that could have been it is the one that is told of.
    const asked: string[] = []
    const only = (url: string | URL, init?: RequestInit) => {
      asked.push(new URL(url).pathname)
      return fetch(new URL('/.well-known/oauth-authorization-server', url), init)
    }
    await expect(taking(issuer, { fetch: only })(await issuer.sign())).rejects.toThrow(message)
    expect(asked).toEqual(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
    expect(issuer.asked).not.toContain('/keys')
  })

  it('looks for the metadata of an issuer with a path in three places', async () => {
    const asked: string[] = []
    const authenticate = jwtTokens({
      issuer: 'https://login.example/tenant/',
      audience: RESOURCE,
      fetch: (url) => {
        asked.push(String(url))
        return Promise.resolve(new Response(null, { status: 404 }))
      },
    })
    const issuer = await openIssuer()
    await expect(authenticate(await issuer.sign())).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toEqual([
      'https://login.example/.well-known/oauth-authorization-server/tenant',
      'https://login.example/.well-known/openid-configuration/tenant',
      'https://login.example/tenant/.well-known/openid-configuration',
    ])
  })

  it('lets no issuer elsewhere send it to this machine', async () => {
    const authenticate = jwtTokens({
      issuer: 'https://login.example',
      audience: RESOURCE,
      fetch: () => Promise.resolve(Response.json({ issuer: 'https://login.example', jwks_uri: 'http://127.0.0.1:9/' })),
    })
    const issuer = await openIssuer()
    await expect(authenticate(await issuer.sign())).rejects.toThrow('names keys where none are fetched: http://127.0.0.1:9/')
  })

  it.each([
    [{ issuer: 'login.example' }, 'issuer'],
    [{ issuer: 'http://login.example' }, 'issuer'],
    [{ issuer: 'https://me:x@login.example' }, 'issuer'],
    [{ issuer: 'https://login.example/?a' }, 'issuer'],
    [{ audience: [] }, 'audience'],
    [{ audience: '' }, 'audience'],
    [{ jwksUri: 'http://login.example/keys' }, 'jwksUri'],
    [{ algorithms: [] }, 'algorithms'],
    [{ algorithms: ['HS256'] as never }, 'algorithms'],
    [{ algorithms: ['none'] as never }, 'algorithms'],
    [{ clockToleranceS: 301 }, 'clockToleranceS'],
    [{ clockToleranceS: Number.NaN }, 'clockToleranceS'],
  ])('does not take %j', (options, option) => {
    expect(() => jwtTokens({ issuer: 'https://login.example', audience: RESOURCE, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: { option } }),
    )
  })
})

/** What is sent instead of a good token. `trap` is a server that must see no request. */
type Hostile = (issuer: Issuer, trap: string) => string | Promise<string>

const HOSTILE: readonly (readonly [what: string, make: Hostile])[] = [
  ['another audience', (issuer) => issuer.sign({ aud: 'https://docs.example.com/other' })],
  ['an audience with a slash more', (issuer) => issuer.sign({ aud: `${RESOURCE}/` })],
  ['no audience', (issuer) => issuer.sign({ aud: undefined as never })],
  ['the client for an audience', (issuer) => issuer.sign({ aud: 'app' })],
  ['another issuer', (issuer) => issuer.sign({ iss: 'https://evil.example' })],
  ['an issuer with a slash more', (issuer) => issuer.sign({ iss: `${issuer.url}/` })],
  ['no issuer', (issuer) => issuer.sign({ iss: undefined as never })],
  ['a time that is over', (issuer) => issuer.sign({ exp: seconds(-70) })],
  ['no time', (issuer) => issuer.sign({ exp: undefined as never })],
  ['a time that has not come', (issuer) => issuer.sign({ nbf: seconds(70) })],
  ['no subject', (issuer) => issuer.sign({ sub: undefined as never })],
  ['a key that a bearer does not show', (issuer) => issuer.sign({ cnf: { jkt: 'x' } })],
  ['the type of a logout', (issuer) => issuer.sign({}, { typ: 'logout+jwt' })],
  ['an extension that nobody knows', (issuer) => issuer.sign({}, { crit: ['x'], x: 1 })],
  ['no signature', (issuer) => forged({ alg: 'none' }, claimsOf(issuer), '')],
  ['no signature that looks like one', (issuer) => forged({ alg: 'none', kid: 'first' }, claimsOf(issuer))],
  ['no signature, in capitals', (issuer) => forged({ alg: 'NONE', kid: 'first' }, claimsOf(issuer))],
  [
    'a secret that is the public key',
    (issuer) => {
      const text = `${part({ alg: 'HS256', kid: 'first' })}.${part(claimsOf(issuer))}`
      const pem = createPublicKey({ key: issuer.keys[0] as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`
    },
  ],
  [
    'the signature of another token',
    async (issuer) => {
      const [header, , signature] = (await issuer.sign()).split('.')
      return `${header}.${part({ ...claimsOf(issuer), sub: 'admin' })}.${signature}`
    },
  ],
  ['a key id that is a path', (issuer) => issuer.sign({}, { kid: '../../x' })],
  ['a key id of JavaScript', (issuer) => issuer.sign({}, { kid: '__proto__' })],
  ['a key id that is no text', (issuer) => forged({ alg: 'ES256', kid: ['first'] }, claimsOf(issuer))],
  ['a key id without end', (issuer) => issuer.sign({}, { kid: 'k'.repeat(5_000) })],
  ...['jku', 'x5u'].map((name): readonly [string, Hostile] => [
    `keys elsewhere, by ${name}`,
    async (_issuer, trap) => (await openIssuer()).sign(claimsOf(_issuer), { kid: 'elsewhere', [name]: trap }),
  ]),
  [
    'a key of its own',
    async (issuer) => {
      const other = await openIssuer()
      return other.sign(claimsOf(issuer), { jwk: other.keys[0]! })
    },
  ],
  ['five parts', async (issuer) => `${await issuer.sign()}.AAAA.AAAA`],
  ['two parts', async (issuer) => (await issuer.sign()).replace(/\.[^.]*$/, '')],
  ['a header that is no object', (issuer) => forged([], claimsOf(issuer))],
  ['a header that is no JSON', async (issuer) => `e30x.${(await issuer.sign()).split('.').slice(1).join('.')}`],
  ['claims that are no object', () => forged({ alg: 'ES256', kid: 'first' }, [])],
  ['points', () => '...'],
  ['garbage', () => 'x'.repeat(300)],
  ['16 KiB', (issuer) => issuer.sign({ more: 'x'.repeat(16 * 1024) })],
]

describe.each(SHELLS)('%s with tokens of an issuer', (_name, open) => {
  it('answers 401 to whatever is no token for it, asks nobody else, and logs nothing', { timeout: 30_000 }, async () => {
    const issuer = await openIssuer()
    const elsewhere: string[] = []
    const trap = await endpointThat(({ request, response }) => {
      elsewhere.push(request.url ?? '')
      response.end()
    })
    const told: unknown[] = []
    const onError = (error: unknown): void => void told.push(error)
    const options = { authenticate: taking(issuer), requiredScopes: ['read'], onError }
    for (const [what, make] of HOSTILE) {
      // A server for each: one address may come with ten bad tokens.
      const server = await open(options)
      const authorization = `Bearer ${await make(issuer, trap.url)}`
      const response = await modern(server, 'resources/read', { uri: 'a:1' }, { authorization })
      const [status, text] = [response.status, await response.text()]
      expect([what, status, text.includes(authorization.slice(7, 40))]).toEqual([what, 401, false])
      expect(response.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="shelfmark", error="invalid_(token|request)", scope="read"$/,
      )
    }
    expect([elsewhere, told]).toEqual([[], []])
    expect(issuer.asked.filter((path) => !['/keys', '/.well-known/oauth-authorization-server'].includes(path))).toEqual([])
  })

  it('takes a token in the header alone, and one of them', async () => {
    const issuer = await openIssuer()
    const server = await open({ authenticate: taking(issuer) })
    const token = await issuer.sign()
    const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { access_token: token } }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    expect((await server.ask(init, `/mcp?access_token=${token}`)).status).toBe(401)
    const twice = new Headers({ authorization: `Bearer ${token}` })
    twice.append('authorization', `Bearer ${token}`)
    expect((await server.ask({ ...init, headers: [...twice, ['content-type', 'application/json']] })).status).toBe(401)
    expect((await modern(server, 'server/discover', {}, { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  it('answers 503 while the keys cannot be had, and says why on this side alone', async () => {
    const issuer = await openIssuer()
    issuer.down = { status: 500 }
    const told: unknown[] = []
    const server = await open({ authenticate: taking(issuer), onError: (error) => told.push(error) })
    for (let i = 0; i < 3; i++) {
      const response = await modern(server, 'server/discover', {}, { authorization: `Bearer ${await issuer.sign()}` })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await response.text()).not.toContain('keys')
    }
    expect(told).toEqual([expect.objectContaining({ message: `${issuer.jwksUri} answered 500, where 200 is wanted` })])
  })
})

describe('serveHttp() with tokens of an issuer', () => {
  it('bounds what one address may try, and still serves who was there before', async () => {
    const issuer = await openIssuer()
    const authenticate = taking(issuer)
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => 'one')
    const server = await serveHttp(library, { port: 0, authenticate })
    onTestFinished(() => server.close())
    const way = { ask: (init: RequestInit) => fetch(server.url, init) }
    const good = { authorization: `Bearer ${await issuer.sign()}` }
    const statuses: number[] = []
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await modern(way, 'resources/read', { uri: 'a:1' }, headers)).status
    statuses.push(await ask(good))
    for (let i = 0; i < 11; i++) statuses.push(await ask({ authorization: `Bearer guess${i}` }))
    statuses.push(await ask(good))
    expect(statuses).toEqual([200, ...Array.from({ length: 10 }, () => 401), 429, 200])
  })
})
