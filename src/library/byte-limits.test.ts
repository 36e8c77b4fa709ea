import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8Length } from './byte-limits.ts'

describe('utf8Length()', () => {
  it('counts what a text has when it is sent, whatever is in it and however long it is', () => {
    const unit = fc.constantFrom(
      'a',
      '\u00e9',
      '\u65e5',
      '\u{1f600}',
      '\ud800',
      '\udc00',
      'b'.repeat(5000),
      '\u{1f600}'.repeat(5000),
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join('')
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
      }),
    )
  })

  it.each([
    ['', 0],
    ['\ud800\u00e9', 5],
    ['a\u{1f600}', 5],
    ['x'.repeat(5_000_001), 5_000_001],
  ])('counts a pair as four bytes and half of one as three, as for %#', (text, bytes) => {
    expect(utf8Length(text)).toBe(bytes)
  })
})
