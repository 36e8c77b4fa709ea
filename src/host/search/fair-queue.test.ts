import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const drained = (queue: FairQueue): string => {
  const items: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item)
  return items.join(' ')
}

describe('FairQueue', () => {
  it('take() gives each party its turn, in the order of each', () => {
    const queue = new FairQueue()
    for (const item of ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1']) queue.add(item.charAt(0), item)
    expect(queue.size).toBe(7)
    expect(drained(queue)).toBe('a1 b1 c1 a2 b2 a3 a4')
    expect(queue.size).toBe(0)
  })

  it('holds an item once, and forgets what was taken out', () => {
    const queue = new FairQueue()
    for (const item of ['a1', 'a2', 'a1']) queue.add('a', item)
    queue.delete('a', 'a2')
    queue.delete('b', 'a1')
    expect([queue.size, drained(queue)]).toEqual([1, 'a1'])
    queue.add('a', 'a2')
    queue.clear()
    expect([queue.size, queue.take()]).toEqual([0, undefined])
  })

  it('take() gives each item that waits once, whatever was added and taken before', () => {
    const step = fc.oneof(fc.record({ add: fc.nat(9) }), fc.record({ drop: fc.nat(9) }), fc.constant('take' as const))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new FairQueue()
        const model = new Set<string>()
        const party = (item: number): string => String(item % 3)
        for (const one of steps) {
          if (one === 'take') {
            const item = queue.take()
            expect(item === undefined ? model.size === 0 : model.delete(item)).toBe(true)
          } else if ('add' in one) {
            queue.add(party(one.add), String(one.add))
            model.add(String(one.add))
          } else {
            queue.delete(party(one.drop), String(one.drop))
            model.delete(String(one.drop))
          }
          expect(queue.size).toBe(model.size)
        }
      }),
    )
  })
})
