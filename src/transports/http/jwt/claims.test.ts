import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { principalOf } from './claims.ts'

const GOOD = { iss: 'https://login.example', client_id: 'app', sub: 'alice', exp: 1_000 }
const id = (claims: object): string | undefined => principalOf({ ...GOOD, ...claims }, 0)?.id

describe('principalOf()', () => {
  it('is who, by which program, vouched for by whom, until the token is over', () => {
    const claims = { ...GOOD, scope: 'read list', groups: ['staff'] }
    expect(principalOf(claims, 60_000)).toEqual({
      id: 'https://login.example app alice',
      kind: 'authenticated',
      scopes: ['read', 'list'],
      claims,
      expiresAt: 1_060_000,
    })
  })

  it.each([
    [{ client_id: undefined, azp: 'other' }, 'https://login.example other alice'],
    [{ client_id: 'app', azp: 'other' }, 'https://login.example app alice'],
    [{ client_id: undefined }, 'https://login.example  alice'],
    [{ client_id: 7 }, 'https://login.example  alice'],
    [{ client_id: '\udc00' }, 'https://login.example  alice'],
    [{ sub: 'auth0|12 34%' }, 'https://login.example app auth0|12%2034%25'],
    [{ sub: 'a\u00a0b\u202ec\n' }, 'https://login.example app a%C2%A0b%E2%80%AEc%0A'],
  ])('makes the id of %j', (claims, wanted) => {
    expect(id(claims)).toBe(wanted)
  })

  it('gives two triples two ids', () => {
    const triple = fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.string({ minLength: 1 }))
    const of = ([iss, client_id, sub]: readonly [string, string, string]) => id({ iss, client_id, sub })
    fc.assert(
      fc.property(triple, triple, (one, other) => {
        expect(of(one) === of(other)).toBe(one.every((part, i) => part === other[i]))
      }),
    )
    expect(id({ client_id: 'a b', sub: 'c' })).not.toBe(id({ client_id: 'a', sub: 'b c' }))
  })

  it.each([
    ['nobody', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no text', { sub: 7 }],
    ['half a character', { sub: '\ud800' }],
    ['a time that is no number', { exp: '1000' }],
    ['a time without end', { exp: Number.POSITIVE_INFINITY }],
    ['whoever has a key, which a bearer does not show', { cnf: { jkt: 'x' } }],
  ])('is nobody for %s', (_what, claims) => {
    expect(principalOf({ ...GOOD, ...claims }, 0)).toBeUndefined()
  })

  it.each([
    [{ scope: ' read  write ' }, ['read', 'write']],
    [{ scp: 'read write' }, ['read', 'write']],
    [{ scp: ['read', 'write'] }, ['read', 'write']],
    [{ scope: 'read', scp: ['write'] }, ['read']],
    [{ scope: { read: true } }, []],
    [{ scp: ['read', 7] }, []],
    [{}, []],
  ])('takes the scopes of %j', (claims, scopes) => {
    expect(principalOf({ ...GOOD, ...claims }, 0)?.scopes).toEqual(scopes)
  })
})
