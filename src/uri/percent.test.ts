import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { decodeSegment, encodeSegment } from './index.ts'

describe('encodeSegment()', () => {
  it('keeps unreserved characters and nothing else', () => {
    expect(encodeSegment('aZ09-._~')).toBe('aZ09-._~')
    expect(encodeSegment('a b/c?d#e%41')).toBe('a%20b%2Fc%3Fd%23e%2541')
    expect(encodeSegment("!*'():@&=+$,;[]")).toBe('%21%2A%27%28%29%3A%40%26%3D%2B%24%2C%3B%5B%5D')
    expect(encodeSegment('é漢😀')).toBe('%C3%A9%E6%BC%A2%F0%9F%98%80')
    expect(encodeSegment('')).toBe('')
  })

  it('throws invalid-uri for a lone surrogate', () => {
    let thrown: unknown
    try {
      encodeSegment('ab\ud800c')
    } catch (error) {
      thrown = error
    }
    expect(ShelfError.is(thrown, 'invalid-uri') && thrown.details).toEqual({ uri: 'ab\ud800c', reason: 'character', offset: 2 })
  })
})

describe('decodeSegment()', () => {
  it('decodes exactly once', () => {
    expect(decodeSegment('%2541')).toBe('%41')
    expect(decodeSegment('a%2Fb')).toBe('a/b')
    expect(decodeSegment('%c3%a9')).toBe('é')
    expect(decodeSegment('plain')).toBe('plain')
    expect(decodeSegment('%00')).toBe('\u0000')
  })

  it('gives undefined for malformed triplets and invalid UTF-8', () => {
    for (const text of [
      '%',
      '%4',
      '%zz',
      '%ff',
      '%C0%AF',
      '%C1%81',
      '%E0%80%80',
      '%ED%A0%80',
      '%F0%80%80%80',
      '%F4%90%80%80',
      '%F5%80%80%80',
      '%C3',
      '%C3x',
      '%C3%',
      '%E6%BC',
      '%80',
    ]) {
      expect([text, decodeSegment(text)]).toEqual([text, undefined])
    }
  })

  it('agrees with decodeURIComponent() on every text', () => {
    const byte = fc.integer({ min: 0, max: 255 }).map((value) => `%${value.toString(16).padStart(2, '0')}`)
    const edge = fc.constantFrom('%E0', '%A0', '%ED', '%9f', '%F0', '%90', '%F4', '%8F', '%80', '%BF', '%C2', '%', 'a')
    fc.assert(
      fc.property(fc.array(fc.oneof(byte, edge), { maxLength: 6 }), (pieces) => {
        const text = pieces.join('')
        let wanted: string | undefined
        try {
          wanted = decodeURIComponent(text)
        } catch {
          wanted = undefined
        }
        expect(decodeSegment(text)).toBe(wanted)
      }),
      { numRuns: 20_000 },
    )
  })

  it('turns around what encodeSegment() made', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeSegment(encodeSegment(text))).toBe(text)
      }),
    )
  })
})
