import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTokenCounter } from './token-counter.ts'
import type { TokenEncoding } from './token-counter.ts'

describe('openTokenCounter()', () => {
  it.each<[TokenEncoding, number]>([
    ['o200k_base', 6],
    ['cl100k_base', 6],
    ['estimate', 8],
  ])('counts with %s', async (encoding, tokens) => {
    const counter = await openTokenCounter(encoding)
    expect([counter.encoding, counter.count('Where is the reading room?')]).toEqual([encoding, tokens])
    expect([counter.count(''), counter.atMost('', 3), counter.atMost('abc', 0)]).toEqual([0, '', ''])
  })

  it('takes markers of a model for text', async () => {
    const counter = await openTokenCounter()
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1)
  })

  it('refuses an encoding that is none', async () => {
    await expect(openTokenCounter('constructor' as TokenEncoding)).rejects.toMatchObject({ code: 'invalid-option' })
  })

  it.each<TokenEncoding>(['o200k_base', 'estimate'])(
    'gives beginnings within a number of tokens, of whole characters: %s',
    async (encoding) => {
      const counter = await openTokenCounter(encoding)
      const texts = fc.string({ unit: fc.constantFrom('a', 'word ', '𝒳', 'é', '\n', '   ', '{"x":', '日本'), maxLength: 4_000 })
      fc.assert(
        fc.property(texts, fc.nat(600), (text, tokens) => {
          const beginning = counter.atMost(text, tokens)
          expect(text.startsWith(beginning)).toBe(true)
          expect(beginning.isWellFormed()).toBe(true)
          expect(counter.count(beginning)).toBeLessThanOrEqual(tokens)
          if (counter.count(text) <= tokens) expect(beginning).toBe(text)
        }),
        { numRuns: 50 },
      )
    },
  )

  it('stops counting beyond what is wanted', async () => {
    const counter = await openTokenCounter('estimate')
    const tokens = counter.count('word '.repeat(1_000_000), 100)
    expect(tokens).toBeGreaterThan(100)
    expect(tokens).toBeLessThan(5_000)
  })

  it.each(['a', 'é', ' ', '日', '\n', '=', '𝒳'])('takes time in proportion to a text of nothing but %j', async (unit) => {
    const counter = await openTokenCounter()
    const time = (length: number) => {
      const text = unit.repeat(length)
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < 3; i++) {
        const begun = performance.now()
        counter.count(text)
        best = Math.min(best, performance.now() - begun)
      }
      return best
    }
    time(1_000)
    // Eight times the length; the square would be 64 times the time, and minutes for the longer one.
    expect(time(64_000) / Math.max(time(8_000), 2)).toBeLessThan(32)
  })
})
