import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderByKeys } from './order-by-keys.ts'

/** Orders the places of texts; characters are bytes. */
async function ordered(texts: readonly string[]) {
  const numbers = Uint32Array.from(texts.keys())
  const byteAt = (text: string, at: number) => (at < text.length ? text.charCodeAt(at) : 0)
  const keyAt = (number: number, place: number) => {
    const text = texts[number] as string
    const [a, b, c, d] = [byteAt(text, place), byteAt(text, place + 1), byteAt(text, place + 2), byteAt(text, place + 3)]
    return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  }
  const repeated = await orderByKeys(numbers, keyAt)
  return { texts: Array.from(numbers, (number) => texts[number]), repeated }
}

describe('orderByKeys()', () => {
  it('orderByKeys() puts any texts in order, and says whether some are the same', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\u0001', '\u007f', '\u0080', '\u00ff'), { maxLength: 9 })
      .map((all) => all.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (texts) => {
        const repeated = new Set(texts).size < texts.length
        expect(await ordered(texts)).toEqual({ texts: texts.toSorted(), repeated })
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['different from the first byte on', (i: number) => String(i), false],
    ['different after 20 bytes', (i: number) => `${'a'.repeat(20)}${i}`, false],
    ['each twice', (i: number) => `a${i >> 1}`, true],
    ['in two lengths', (i: number) => 'a'.repeat(9) + (i === 0 ? '' : `b${i}`), false],
  ])('orderByKeys() puts 150,000 texts in order that are %s', async (_, textOf, repeated) => {
    const texts = Array.from({ length: 150_000 }, (__, i) => textOf((i * 7_919) % 150_000))
    expect(await ordered(texts)).toEqual({ texts: texts.toSorted(), repeated })
  })

  it('orderByKeys() puts texts in order that are all the same', async () => {
    const texts = Array.from({ length: 70_000 }, () => 'ab')
    expect((await ordered(texts)).repeated).toBe(true)
  })

  it('orderByKeys() lets other work have its turn', async () => {
    let turns = 0
    let done = false
    const count = () => {
      turns++
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    await orderByKeys(
      Uint32Array.from({ length: 1_000_000 }, (_, i) => (i * 7_919) % 1_000_003),
      (number, place) => ((0x20_20_20_20 + number) << (8 * place)) >>> 0,
    )
    done = true
    // A turn for each 65,536: looked at twice, parted once, and sorted once.
    expect(turns).toBeGreaterThan(50)
  })
})
