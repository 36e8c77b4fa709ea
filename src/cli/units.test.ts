import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, formatSize, parseDuration, parseSize } from './units.ts'

describe('parseSize()', () => {
  it.each([
    [1, 1],
    ['1B', 1],
    ['5MiB', 5_242_880],
    ['5 MiB', 5_242_880],
    ['1.5KiB', 1_536],
    ['10MB', 10_000_000],
    ['2GiB', 2_147_483_648],
  ])('takes %j for %d bytes', (value, bytes) => {
    expect(parseSize(value)).toBe(bytes)
  })

  it.each([
    [0],
    [-1],
    [1.5],
    [NaN],
    [Infinity],
    [''],
    ['5'],
    ['5M'],
    ['5mib'],
    ['1.5B'],
    ['-5MiB'],
    ['5MiB '],
    ['9999999GiB'],
    ['5constructor'],
  ])('takes %j for none', (value) => {
    expect(parseSize(value)).toBeUndefined()
  })
})

describe('parseDuration()', () => {
  it.each([
    [250, 250],
    ['100ms', 100],
    ['30s', 30_000],
    ['1.5s', 1_500],
    ['5min', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('takes %j for %d ms', (value, ms) => {
    expect(parseDuration(value)).toBe(ms)
  })

  it.each([['30'], ['30 parsecs'], ['5m'], ['0s'], ['1e3s']])('takes %j for none', (value) => {
    expect(parseDuration(value)).toBeUndefined()
  })
})

describe('formatSize() and formatDuration()', () => {
  it('are read back as they were', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (amount) => {
        expect([parseSize(formatSize(amount)), parseDuration(formatDuration(amount))]).toEqual([amount, amount])
      }),
    )
    expect([formatSize(5_242_880), formatSize(1_025), formatDuration(30_000), formatDuration(90_000)]).toEqual([
      '5MiB',
      '1025B',
      '30s',
      '90s',
    ])
  })
})
