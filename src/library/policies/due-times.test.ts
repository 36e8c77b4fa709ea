import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../testing/index.ts'
import type { Due } from './due-times.ts'
import { DueTimes } from './due-times.ts'

describe('DueTimes', () => {
  it('needs one timer, whatever the number of waits, and none when there are none', () => {
    const clock = createFakeClock()
    const times = new DueTimes(clock, 100)
    const waits = Array.from({ length: 1000 }, () => times.add(() => undefined))
    expect(clock.pending).toBe(1)
    for (const wait of waits) wait.callOff()
    clock.advance(100)
    expect(clock.pending).toBe(0)
  })

  it('takes what is called off twice for called off once', () => {
    const clock = createFakeClock()
    const times = new DueTimes(clock, 10)
    const called: number[] = []
    times.add(() => called.push(1))
    const second = times.add(() => called.push(2))
    times.add(() => called.push(3))
    second.callOff()
    second.callOff()
    clock.advance(10)
    expect(called).toEqual([1, 3])
  })

  it('times what is added while others fall due', () => {
    const clock = createFakeClock()
    const times = new DueTimes(clock, 10)
    const called: number[] = []
    times.add(() => times.add(() => called.push(clock.monotonic())))
    clock.advance(30)
    expect(called).toEqual([20])
    expect(clock.pending).toBe(0)
  })

  it('calls what was not called off, each once, at its own time', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const) }),
      fc.record({ kind: fc.constant('callOff' as const), which: fc.nat(20) }),
      fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(40) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = createFakeClock()
        const times = new DueTimes(clock, 50)
        const all: { due: Due; at: number; called: number[]; off: boolean }[] = []
        for (const one of steps) {
          if (one.kind === 'add') {
            const called: number[] = []
            const due = times.add(() => called.push(clock.monotonic()))
            all.push({ due, at: clock.monotonic() + 50, called, off: false })
          } else if (one.kind === 'advance') clock.advance(one.ms)
          else {
            const wait = all[one.which]
            if (wait === undefined || wait.called.length > 0) continue
            wait.due.callOff()
            wait.off = true
          }
        }
        clock.advance(50)
        for (const { called, at, off } of all) expect(called).toEqual(off ? [] : [at])
      }),
    )
  })
})
