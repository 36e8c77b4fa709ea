import { describe, expect, it } from 'vitest'
import { RecentSet } from './recent-set.ts'

describe('RecentSet', () => {
  it('add() knows the last ones, and at most twice as many', () => {
    const set = new RecentSet(10)
    for (let i = 0; i < 1_000; i++) expect(set.add(`${i}`)).toBe(true)
    const known = Array.from({ length: 1_000 }, (_, i) => i).filter((i) => !set.add(`${i}`))
    expect(known.length).toBeLessThanOrEqual(20)
    const again = new RecentSet(10)
    for (let i = 0; i < 25; i++) again.add(`${i}`)
    expect(again.add('16')).toBe(false)
  })

  it('add() forgets long texts sooner', () => {
    const set = new RecentSet(100_000)
    const long = 'x'.repeat(4 * 1024 * 1024)
    for (let i = 0; i < 6; i++) set.add(`${i}${long}`)
    expect(set.add(`0${long}`)).toBe(true)
    expect(set.add(`5${long}`)).toBe(false)
  })
})
