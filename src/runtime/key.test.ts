import { describe, expect, it } from 'vitest'
import { processSealer } from './key.ts'

const [OLD, NEW, OTHER] = ['o'.repeat(32), 'n'.repeat(32), 'x'.repeat(32)]

describe('processSealer()', () => {
  it('opens what another process with the same key sealed', () => {
    const sealed = processSealer({ SHELFMARK_KEY: OLD }).seal('plain', 'bound')
    expect(processSealer({ SHELFMARK_KEY: OLD }).open(sealed, 'bound')).toBe('plain')
    expect(processSealer({ SHELFMARK_KEY: OLD }).open(sealed, 'other')).toBeUndefined()
    expect(processSealer({ SHELFMARK_KEY: NEW }).open(sealed, 'bound')).toBeUndefined()
    expect(processSealer({}).open(sealed, 'bound')).toBeUndefined()
  })

  it('opens what the previous key sealed, and seals with that of today', () => {
    const before = processSealer({ SHELFMARK_KEY: OLD })
    const between = processSealer({ SHELFMARK_KEY: NEW, SHELFMARK_KEY_PREVIOUS: OLD })
    const after = processSealer({ SHELFMARK_KEY: NEW })
    expect(between.open(before.seal('old', 'b'), 'b')).toBe('old')
    const sealed = between.seal('new', 'b')
    expect(after.open(sealed, 'b')).toBe('new')
    expect(before.open(sealed, 'b')).toBeUndefined()
    expect(between.open(processSealer({ SHELFMARK_KEY: OTHER }).seal('x', 'b'), 'b')).toBeUndefined()
  })

  it.each([
    [{ SHELFMARK_KEY: 'short' }, 'SHELFMARK_KEY must have at least 32 characters, it has 5'],
    [
      { SHELFMARK_KEY: NEW, SHELFMARK_KEY_PREVIOUS: 'short' },
      'SHELFMARK_KEY_PREVIOUS must have at least 32 characters, it has 5',
    ],
    [{ SHELFMARK_KEY_PREVIOUS: OLD }, 'SHELFMARK_KEY_PREVIOUS is set and SHELFMARK_KEY is not: nothing would be sealed for long'],
  ])('refuses %o', (environment, message) => {
    expect(() => processSealer(environment)).toThrow(message)
  })

  it('takes an empty variable for none', () => {
    expect(processSealer({ SHELFMARK_KEY: '', SHELFMARK_KEY_PREVIOUS: '' }).seal('a', 'b')).toBeTypeOf('string')
  })
})
