import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../testing/index.ts'
import { PatientTimers } from './patient-timers.ts'

describe('PatientTimers', () => {
  it('after() does not run out while somebody is waited for, and begins again then', async () => {
    const clock = createFakeClock()
    const timers = new PatientTimers(clock)
    const called: string[] = []
    timers.after(100, () => called.push('a'))
    timers.after(Infinity, () => called.push('never'))
    let over = (): void => undefined
    const waited = timers.waitFor(new Promise((resolve) => (over = resolve)))
    clock.advance(1_000)
    expect(called).toEqual([])
    over()
    await waited
    expect(timers.waitedMs).toBe(1_000)
    clock.advance(99)
    expect(called).toEqual([])
    clock.advance(1)
    expect(called).toEqual(['a'])
  })

  it('after() is called off, also while somebody is waited for', async () => {
    const clock = createFakeClock()
    const timers = new PatientTimers(clock)
    const called: string[] = []
    const callOff = timers.after(100, () => called.push('a'))
    const waited = timers.waitFor(Promise.reject(new Error('no login')))
    clock.advance(200)
    callOff()
    await waited
    clock.advance(1_000)
    expect(called).toEqual([])
  })
})
