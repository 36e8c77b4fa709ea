import { describe, expect, it } from 'vitest'
import { Register } from './register.ts'

/** Milliseconds to remove `count` items in an order that is none, the best of three. */
function removal(count: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const register = new Register<number>()
    for (let i = 1; i <= count; i++) register.add(i)
    const begun = performance.now()
    for (let i = 0; i < count; i++) register.remove(((i * 7_919) % count) + 1)
    best = Math.min(best, performance.now() - begun)
    expect(register.size).toBe(0)
  }
  return best
}

describe('Register', () => {
  it('Register.page() passes over what is gone, and says whether an item follows', () => {
    const register = new Register<string>()
    const numbers = ['a', 'b', 'c', 'd'].map((item) => register.add(item))
    register.remove(numbers[1]!)
    register.remove(numbers[1]!)
    expect(register.size).toBe(3)
    expect([...register]).toEqual(['a', 'c', 'd'])
    expect(register.page(0, 2)).toEqual({ items: ['a', 'c'], next: 3 })
    expect(register.page(2, 2)).toEqual({ items: ['c', 'd'] })
    register.remove(numbers[3]!)
    expect(register.page(0, 2)).toEqual({ items: ['a', 'c'] })
  })

  it('Register.remove() costs the same whatever the number of items', () => {
    removal(10_000)
    expect(removal(160_000) / removal(20_000)).toBeLessThan(24)
  })
})
