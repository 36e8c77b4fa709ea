import { describe, expect, it } from 'vitest'
import { createToken, formatToken, parseTokens, staticTokens } from './static-tokens.ts'

const HASH = 'a'.repeat(64)

describe('createToken()', () => {
  it('makes 256 bits, of which only the hash is kept', () => {
    const { token, kept } = createToken('alice', ['read'])
    expect(token).toMatch(/^shelfmark_[\w-]{43}$/)
    expect(createToken('alice').token).not.toBe(token)
    expect(JSON.stringify(kept)).not.toContain(token.slice(10))
    expect(staticTokens([kept])(token)).toEqual({ id: 'alice', kind: 'authenticated', scopes: ['read'], claims: {} })
  })
})

describe('staticTokens()', () => {
  it('knows its own tokens and no other', () => {
    const { token, kept } = createToken('alice')
    const authenticate = staticTokens([kept])
    for (const other of ['', token.slice(0, -1), `${token}a`, token.toUpperCase(), kept.sha256, createToken('bob').token]) {
      expect(authenticate(other)).toBeUndefined()
    }
  })
})

describe('parseTokens()', () => {
  it('takes one a line, and is the inverse of formatToken()', () => {
    const kept = createToken('ci@example', ['read', 'write:all']).kept
    expect(parseTokens(`# tokens\r\n\n  ${formatToken(kept)}  \nbob sha256:${HASH}\n`, 'f')).toEqual([
      kept,
      { name: 'bob', sha256: HASH, scopes: [] },
    ])
  })

  it.each([
    ['alice', 'f, line 1: sha256: and 64 hexadecimal digits are wanted second; `shelfmark token` makes such a line'],
    [
      `\nalice shelfmark_${'x'.repeat(43)}`,
      'f, line 2: sha256: and 64 hexadecimal digits are wanted second; `shelfmark token` makes such a line',
    ],
    [
      `alice sha256:${HASH.toUpperCase()}`,
      'f, line 1: sha256: and 64 hexadecimal digits are wanted second; `shelfmark token` makes such a line',
    ],
    [`a/b sha256:${HASH}`, 'f, line 1: a name of letters, digits and . _ @ - is wanted first'],
    [`alice sha256:${HASH} "read"`, 'f, line 1: a scope has a character that none may have'],
    [`alice sha256:${HASH}\nbob sha256:${HASH}`, 'f, line 2: the same token is there already'],
  ])('refuses %j, and repeats nothing of it', (text, message) => {
    expect(() => parseTokens(text, 'f')).toThrow(expect.objectContaining({ code: 'invalid-option', message }))
  })
})
