import { describe, expect, it } from 'vitest'
import { Register } from './register.ts'

interface Item {
  readonly name: string
  seq: number
}

const item = (name: string): Item => ({ name, seq: 0 })

/** Milliseconds to remove `count` items in an order that is none, the best of three. */
function removal(count: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const register = new Register<Item>()
    const items = Array.from({ length: count }, (_, i) => item(String(i)))
    for (const each of items) register.add(each)
    const begun = performance.now()
    for (let i = 0; i < count; i++) register.remove(items[(i * 7_919) % count]!)
    best = Math.min(best, performance.now() - begun)
    expect(register.size).toBe(0)
  }
  return best
}

describe('Register', () => {
  it('page() passes over what is gone, and says whether an item follows', () => {
    const register = new Register<Item>()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(item) as [Item, Item, Item, Item]
    for (const each of [a, b, c, d]) register.add(each)
    register.remove(b)
    register.remove(b)
    expect(register.size).toBe(3)
    expect(register.page({ limit: 2 })).toEqual({ items: [a, c], next: 3 })
    expect(register.page({ after: 2, limit: 2 })).toEqual({ items: [c, d] })
    register.remove(d)
    expect(register.page({ limit: 2 })).toEqual({ items: [a, c] })
  })

  it('page() refuses a position that is no number', () => {
    expect(() => new Register<Item>().page({ after: 'x', limit: 2 })).toThrow('Not a position in this list')
  })

  it('replace() keeps the place, and does nothing for what is not there', () => {
    const register = new Register<Item>()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(item) as [Item, Item, Item, Item]
    for (const each of [a, b]) register.add(each)
    register.replace(a, c)
    register.replace(a, d)
    expect(register.page({ limit: 1 })).toEqual({ items: [c], next: 1 })
    expect([register.size, c.seq, d.seq]).toEqual([2, 1, 0])
  })

  it('remove() costs the same whatever the number of items', { retry: 3 }, () => {
    removal(10_000)
    expect(removal(160_000) / removal(20_000)).toBeLessThan(24)
  })
})
