import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_TERM, termsOf } from './terms.ts'

describe('termsOf()', () => {
  it.each<[text: string, terms: string]>([
    ['How do I sign in?', 'how do i sign in'],
    ['parseHTTPAnswer', 'parse http answer parsehttpanswer'],
    ['MAX_page_bytes', 'max page byte maxpagebyte'],
    ['src/host/kind-of.ts', 'src host kind of ts'],
    ['utf8Length', 'utf 8 length utf8length'],
    ['ABC x9', 'abc x 9 x9'],
    ['__proto__ constructor', 'proto constructor'],
    ['Zürich Ångström naïve', 'zurich angstrom naive'],
    ['Zu\u0308rich', 'zurich'],
    ['ＦＵＬＬ ﬁne', 'full fine'],
    ['classes files class gas', 'classe file class gas'],
    ['図書館へ行く', '図書 書館 館へ へ行 行く'],
    ['本', '本'],
    ['node图书', 'node 图书'],
    ['도서관 책', '도서 서관 책'],
    ['हिन्दी', 'हिन्दी'],
    ['\ud800ab\udc00', 'ab'],
    ['... --- !!!', ''],
  ])('of %j are %j', (text, terms) => {
    expect(termsOf(text, 100).join(' ')).toBe(terms)
  })

  it('are at most as many as asked for, none longer than 64, and the same for the same word in any case or composition', () => {
    expect(termsOf('a b c d', 3)).toEqual(['a', 'b', 'c'])
    expect(termsOf('x'.repeat(1_000), 100)[0]).toHaveLength(LONGEST_TERM)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(50), (text, most) => {
        const terms = termsOf(text, most)
        expect(terms.length).toBeLessThanOrEqual(most)
        expect(terms.every((one) => one.length > 0 && one.length <= LONGEST_TERM)).toBe(true)
        expect(termsOf(text.normalize('NFD'), most)).toEqual(termsOf(text.normalize('NFC'), most))
      }),
    )
  })

  it.each(['A', 'a', 'aA', '_', '1', '本', 'é', '\ud800', 'क\u094d', '\u0301', '\u0301\u0316', '\u05b0\u05c1\u0316'])(
    'take time that grows with the text: %j',
    { retry: 3 },
    (unit) => {
      const cost = (length: number): number => {
        const text = unit.repeat(length / unit.length)
        const begun = performance.now()
        termsOf(text, Number.MAX_SAFE_INTEGER)
        return performance.now() - begun
      }
      cost(100_000)
      expect(cost(800_000) / Math.max(cost(100_000), 1)).toBeLessThan(40)
    },
  )
})
