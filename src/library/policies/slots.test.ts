import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SlotLimits, SlotWaiter } from './slots.ts'
import { Slots } from './slots.ts'

const HERE = {}
const NONE: SlotLimits = { total: 100, perParty: 100, perPlace: 100, queue: 100 }

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Slots with parties that wait when they have to, and what became of them in order. */
function tried(limits: Partial<SlotLimits>) {
  const slots = new Slots({ ...NONE, ...limits })
  const log: string[] = []
  const ask = (name: string, place: object = HERE, free = false): SlotWaiter => {
    const waiter: SlotWaiter = {
      party: name.slice(0, 1),
      free,
      place,
      grant: () => void log.push(name),
      refuse: () => void log.push(`${name} refused`),
    }
    if (slots.take(waiter)) waiter.grant()
    else if (!slots.wait(waiter)) waiter.refuse()
    return waiter
  }
  return { slots, log, ask }
}

describe('Slots', () => {
  it('go round the parties, and in each to whoever came first', () => {
    const { slots, log, ask } = tried({ total: 1 })
    const first = ask('a0')
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) ask(name)
    for (let i = 0; i < 6; i++) slots.give(first)
    expect(log).toEqual(['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('are bounded for each party, except one that is bounded by the total alone', () => {
    const { slots, log, ask } = tried({ total: 4, perParty: 2 })
    const [first] = ['a1', 'a2', 'a3'].map((name) => ask(name))
    ask('l1', HERE, true)
    ask('l2', HERE, true)
    ask('l3', HERE, true)
    expect(log).toEqual(['a1', 'a2', 'l1', 'l2'])
    slots.give(first!)
    expect(log.slice(4)).toEqual(['a3'])
  })

  it('are bounded for each place, and who waits for a full one lets others pass', () => {
    const there = {}
    const { slots, log, ask } = tried({ total: 10, perPlace: 1 })
    const first = ask('a1')
    ask('a2')
    ask('a3', there)
    expect(log).toEqual(['a1', 'a3'])
    slots.give(first)
    expect(log).toEqual(['a1', 'a3', 'a2'])
  })

  it('are not for those who left', () => {
    const { slots, log, ask } = tried({ total: 1 })
    const first = ask('a1')
    const second = ask('a2')
    ask('a3')
    slots.leave(second)
    slots.leave(second)
    expect(slots.waiting).toBe(1)
    slots.give(first)
    expect(log).toEqual(['a1', 'a3'])
    slots.leave(second)
    expect(slots.waiting).toBe(0)
  })

  it('share the room to wait in: the longest line makes room for one that stays shorter', () => {
    const { slots, log, ask } = tried({ total: 1, queue: 4 })
    ask('a0')
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1']) ask(name)
    expect(log).toEqual(['a0', 'a5 refused', 'a4 refused', 'a3 refused', 'b3 refused', 'a2 refused'])
    expect(slots.waiting).toBe(4)
    expect(tried({ total: 1, queue: 0 }).slots.wait({ party: 'a', free: false, place: HERE, grant() {}, refuse() {} })).toBe(
      false,
    )
  })

  it('are never more than the limits, never idle while somebody may have one, and end where they began', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), party: fc.nat(3), place: fc.nat(1) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('give' as const), which: fc.nat(30) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: fc.nat(30) }) },
    )
    const limits = fc.record({
      total: fc.integer({ min: 1, max: 5 }),
      perParty: fc.integer({ min: 1, max: 5 }),
      perPlace: fc.integer({ min: 1, max: 5 }),
      queue: fc.nat(6),
    })
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 80 }), (bounds, steps) => {
        const slots = new Slots(bounds)
        const places = [{}, {}]
        const under: SlotWaiter[] = []
        const waiting: SlotWaiter[] = []
        const drop = (list: SlotWaiter[], one: SlotWaiter): void => void list.splice(list.indexOf(one), 1)
        const most = (list: readonly SlotWaiter[], of: (one: SlotWaiter) => unknown): number =>
          Math.max(0, ...[...grouped(list, of).values()].map(({ length }) => length))
        const check = (): void => {
          expect(slots.taken).toBe(under.length)
          expect(slots.waiting).toBe(waiting.length)
          expect(under.length).toBeLessThanOrEqual(bounds.total)
          expect(waiting.length).toBeLessThanOrEqual(bounds.queue)
          expect(
            most(
              under.filter(({ free }) => !free),
              ({ party }) => party,
            ),
          ).toBeLessThanOrEqual(bounds.perParty)
          expect(most(under, ({ place }) => place)).toBeLessThanOrEqual(bounds.perPlace)
          for (const one of waiting) {
            const full =
              under.length === bounds.total ||
              (!one.free && under.filter(({ party }) => party === one.party).length === bounds.perParty) ||
              under.filter(({ place }) => place === one.place).length === bounds.perPlace
            expect(full).toBe(true)
          }
        }
        for (const one of steps) {
          if (one.kind === 'ask') {
            const waiter: SlotWaiter = {
              party: String(one.party),
              free: one.party === 0,
              place: places[one.place]!,
              grant: () => {
                drop(waiting, waiter)
                under.push(waiter)
              },
              refuse: () => drop(waiting, waiter),
            }
            if (slots.take(waiter)) under.push(waiter)
            else if (slots.wait(waiter)) waiting.push(waiter)
          } else if (one.kind === 'give') {
            const [waiter] = under.splice(one.which, 1)
            if (waiter !== undefined) slots.give(waiter)
          } else {
            const [waiter] = waiting.splice(one.which, 1)
            if (waiter !== undefined) slots.leave(waiter)
          }
          check()
        }
        for (let one = under.shift(); one !== undefined; one = under.shift()) slots.give(one)
        expect([slots.taken, slots.waiting]).toEqual([0, 0])
      }),
    )
  })

  it('are handed to each party that waits before any gets two', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(4), { minLength: 1, maxLength: 60 }), (total, parties) => {
        const { slots, log, ask } = tried({ total })
        const begun = Array.from({ length: total }, () => ask('x'))
        log.length = 0
        parties.forEach((party, index) => ask(`${party}:${index}`))
        const left = grouped(
          parties.map((party, index) => `${party}:${index}`),
          (name) => name.slice(0, 1),
        )
        for (let i = 0; i < parties.length; i++) slots.give(begun[0]!)
        // Each round of the log is one slot for every party that still waits then.
        const names = [...log]
        while (names.length > 0) {
          const there = [...left].filter(([, line]) => line.length > 0)
          const round = names.splice(0, there.length)
          expect(round.map((name) => name.slice(0, 1)).toSorted()).toEqual(there.map(([party]) => party).toSorted())
          for (const name of round) expect(left.get(name.slice(0, 1))?.shift()).toBe(name)
        }
        expect(log).toHaveLength(parties.length)
      }),
    )
  })
})
