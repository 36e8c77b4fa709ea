import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64 } from './base64-decode.ts'

const plain = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : [...bytes])

describe('decodeBase64()', () => {
  it.each([
    ['', []],
    ['AA==', [0]],
    ['AAA=', [0, 0]],
    ['AAAA', [0, 0, 0]],
    ['/+8=', [255, 239]],
    ['aGVsbG8=', [104, 101, 108, 108, 111]],
  ])('decodes %j', (text, bytes) => {
    expect(plain(decodeBase64(text))).toEqual(bytes)
  })

  it.each([
    ['A'],
    ['AA'],
    ['AAA'],
    ['AA='],
    ['AB=='],
    ['AAB='],
    ['===='],
    ['A==='],
    ['=AAA'],
    ['AA=A'],
    ['AA==AAAA'],
    ['AA-_'],
    ['AAA\n'],
    ['AAAA\n\n\n\n'],
    [' AAA'],
    ['AAA\u0141'],
    ['\u{1f600}AA'],
    ['\ud800AAA'],
    ['AAAA AAAA'],
  ])('takes %j for none', (text) => {
    expect(decodeBase64(text)).toBeUndefined()
  })

  it('decodes what Buffer encodes, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(plain(decodeBase64(Buffer.from(bytes).toString('base64')))).toEqual([...bytes])
      }),
    )
  })

  it('takes a text if and only if it is the one that Buffer makes of those bytes', () => {
    const close = fc.string({ unit: fc.constantFrom('A', 'B', 'Q', 'g', 'w', '/', '+', '=', '-', '_', '\n', 'é'), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(close, fc.string({ unit: 'binary', maxLength: 16 })), (text) => {
        const bytes = Buffer.from(text, 'base64')
        const valid = bytes.toString('base64') === text
        expect(plain(decodeBase64(text))).toEqual(valid ? [...bytes] : undefined)
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes time in proportion, for what is valid and what is not', () => {
    const time = (text: string): number => {
      const begun = performance.now()
      for (let i = 0; i < 5; i++) decodeBase64(text)
      return performance.now() - begun
    }
    time('A'.repeat(800_000))
    for (const piece of ['AAAA', '====', '\ud800AAA']) {
      const [small, large] = [time(piece.repeat(100_000)), time(piece.repeat(800_000))]
      expect(large / Math.max(small, 1)).toBeLessThan(40)
    }
  })
})
