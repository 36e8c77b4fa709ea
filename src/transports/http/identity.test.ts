import { describe, expect, it } from 'vitest'
import type { Principal } from '../../library/index.ts'
import { createFakeClock } from '../../testing/index.ts'
import { Attempts } from './attempts.ts'
import type { Authenticate } from './authenticate.ts'
import { Identity } from './identity.ts'
import type { IdentityOptions } from './identity.ts'

const ALICE: Principal = { id: 'alice', kind: 'authenticated', scopes: ['read', 'list'], claims: {} }

function identity(options: Partial<IdentityOptions> = {}): Identity {
  const authenticate: Authenticate = (token) => (token === 'good' ? ALICE : undefined)
  const report = (): void => undefined
  return new Identity({
    authenticate,
    requiredScopes: [],
    metadataUrl: undefined,
    clock: createFakeClock(),
    report,
    ...options,
  })
}

describe('Identity.find()', () => {
  it.each(['Bearer good', 'bearer good', 'BEARER   good'])('knows who %s is of', async (header) => {
    expect(await identity().find(header)).toBe(ALICE)
  })

  it.each([
    [undefined, 'Bearer realm="shelfmark"'],
    ['', 'Bearer realm="shelfmark", error="invalid_request"'],
    ['Basic Z29vZA==', 'Bearer realm="shelfmark", error="invalid_request"'],
    ['Bearer', 'Bearer realm="shelfmark", error="invalid_request"'],
    ['Bearer good, Bearer good', 'Bearer realm="shelfmark", error="invalid_request"'],
    ['Bearer good good', 'Bearer realm="shelfmark", error="invalid_request"'],
    [`Bearer ${'a'.repeat(17_000)}`, 'Bearer realm="shelfmark", error="invalid_request"'],
    ['Bearer bad', 'Bearer realm="shelfmark", error="invalid_token"'],
    ['Bearer __proto__', 'Bearer realm="shelfmark", error="invalid_token"'],
  ])('answers 401 to %j, with how to come', async (header, challenge) => {
    expect(await identity().find(header)).toMatchObject({ status: 401, headers: ['www-authenticate', challenge] })
  })

  it('says where the metadata is, and every scope that is needed', async () => {
    const metadataUrl = 'https://a.example/.well-known/oauth-protected-resource/mcp'
    const asked = identity({ metadataUrl, requiredScopes: ['read', 'write'] })
    const hints = `resource_metadata="${metadataUrl}", scope="read write"`
    expect(await asked.find(undefined)).toMatchObject({
      status: 401,
      headers: ['www-authenticate', `Bearer realm="shelfmark", ${hints}`],
    })
    expect(await asked.find('Bearer good')).toMatchObject({
      status: 403,
      headers: ['www-authenticate', `Bearer realm="shelfmark", error="insufficient_scope", ${hints}`],
    })
    expect(await identity({ requiredScopes: ['list', 'read'] }).find('Bearer good')).toBe(ALICE)
  })

  it.each([
    ['is over', -1, 401],
    ['ends now', 0, 401],
    ['is no time', Number.NaN, 401],
    ['goes on', 1, undefined],
  ])('takes a principal whose time %s as that', async (_what, ms, status) => {
    const clock = createFakeClock()
    const authenticate: Authenticate = () => ({ ...ALICE, expiresAt: clock.wall() + ms })
    expect(await identity({ authenticate, clock }).find('Bearer good')).toMatchObject(
      status === undefined ? { id: 'alice' } : { status },
    )
  })

  it.each([null, false])('takes %j for nobody, who counts among those who guess', async (given) => {
    const clock = createFakeClock()
    const asked = identity({ authenticate: () => given as unknown as undefined, attempts: new Attempts(clock), clock })
    for (let i = 0; i < 10; i++) expect(await asked.find(`Bearer bad${i}`, '192.0.2.1')).toMatchObject({ status: 401 })
    expect(await asked.find('Bearer bad', '192.0.2.1')).toMatchObject({ status: 429 })
  })

  it.each([
    ['true', true],
    ['a name', 'alice'],
    ['an empty object', {}],
    ['a list', [ALICE]],
    ['an error', new Error('no')],
    ['one without an id', { ...ALICE, id: undefined }],
    ['one with an empty id', { ...ALICE, id: '' }],
    ['one with a number for an id', { ...ALICE, id: 7 }],
    ['one of no kind', { ...ALICE, kind: undefined }],
    ['one without scopes', { ...ALICE, scopes: undefined }],
    ['one whose scopes are text', { ...ALICE, scopes: 'unread list' }],
    ['one without claims', { ...ALICE, claims: null }],
    ['one until a date', { ...ALICE, expiresAt: new Date() }],
    ['one until a bigint', { ...ALICE, expiresAt: 10n ** 20n }],
  ])('lets nobody in where authenticate gives %s, answers 503, and tells it once', async (_what, given) => {
    for (const requiredScopes of [[], ['read']]) {
      const told: unknown[] = []
      const authenticate = () => given as unknown as Principal
      const asked = identity({ authenticate, requiredScopes, report: (error) => told.push(error) })
      for (let i = 0; i < 2; i++) expect(await asked.find('Bearer good')).toMatchObject({ status: 503 })
      expect(told).toEqual([expect.objectContaining({ code: 'invalid-option', details: { option: 'authenticate' } })])
    }
  })

  it('answers 503 while it cannot be found out, and tells the same failure once', async () => {
    const told: unknown[] = []
    const failures = [new Error('down'), new Error('still down')]
    let failure = failures[0]
    const asked = identity({ authenticate: () => Promise.reject(failure), report: (error) => told.push(error) })
    for (let i = 0; i < 3; i++)
      expect(await asked.find('Bearer good')).toMatchObject({ status: 503, headers: ['retry-after', '1'] })
    failure = failures[1]
    await asked.find('Bearer good')
    expect(told).toEqual(failures)
  })

  it('answers 503 when it takes more than ten seconds to find out, and tells it once', async () => {
    const clock = createFakeClock()
    const told: unknown[] = []
    const authenticate: Authenticate = () => new Promise(() => undefined)
    const asked = identity({ authenticate, clock, report: (error) => told.push(error) })
    for (let i = 0; i < 2; i++) {
      const found = asked.find('Bearer good')
      clock.advance(9_999)
      expect(await Promise.race([found, Promise.resolve('waits')])).toBe('waits')
      clock.advance(1)
      expect(await found).toMatchObject({ status: 503, headers: ['retry-after', '1'] })
    }
    expect(told).toEqual([expect.objectContaining({ code: 'timeout', details: { afterMs: 10_000 } })])
    expect(clock.pending).toBe(0)
  })

  it('takes ten bad tokens a minute of one address, and then looks at none but those that were good lately', async () => {
    const clock = createFakeClock()
    const looked: string[] = []
    const authenticate: Authenticate = (token) => {
      looked.push(token)
      return token.startsWith('good') ? ALICE : undefined
    }
    const asked = identity({ authenticate, attempts: new Attempts(clock), clock })
    await asked.find('Bearer good', '192.0.2.1')
    for (let i = 0; i < 10; i++) expect(await asked.find(`Bearer bad${i}`, '192.0.2.1')).toMatchObject({ status: 401 })
    looked.length = 0
    expect(await asked.find('Bearer bad', '192.0.2.1')).toMatchObject({ status: 429, headers: ['retry-after', '6'] })
    expect(await asked.find('Bearer good-too', '192.0.2.1')).toMatchObject({ status: 429 })
    expect(looked).toEqual([])
    expect(await asked.find('Bearer good', '192.0.2.1')).toBe(ALICE)
    expect(await asked.find('Bearer good-too', '192.0.2.2')).toBe(ALICE)
    expect(await asked.find(undefined, '192.0.2.1')).toMatchObject({ status: 401 })
    clock.advance(6_000)
    expect(await asked.find('Bearer bad', '192.0.2.1')).toMatchObject({ status: 401 })
    expect(await asked.find('Bearer bad', '192.0.2.1')).toMatchObject({ status: 429 })
  })
})

describe('Identity.again()', () => {
  it.each([
    ['nobody', undefined],
    ['somebody else', { ...ALICE, id: 'bob' }],
    ['one with other scopes', { ...ALICE, scopes: ['read'] }],
  ])('knows that a token is of %s by now', async (_who, found) => {
    expect(await identity({ authenticate: () => found }).again('Bearer good', ALICE)).toBeUndefined()
  })

  it('knows that it is of the same one, and takes it for that while nobody can tell, until it expires', async () => {
    expect(await identity().again('Bearer good', ALICE)).toBe(ALICE)
    const clock = createFakeClock()
    const asked = identity({ authenticate: () => Promise.reject(new Error('down')), clock })
    const was = { ...ALICE, expiresAt: clock.wall() + 1_000 }
    expect(await asked.again('Bearer good', was)).toBe(was)
    clock.advance(1_000)
    expect(await asked.again('Bearer good', was)).toBeUndefined()
  })
})
