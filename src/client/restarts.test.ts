import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../testing/index.ts'
import { Restarts } from './restarts.ts'

describe('Restarts', () => {
  it('waits longer after each failure, and at most 30 seconds', () => {
    const clock = createFakeClock()
    const restarts = new Restarts(clock, () => 0)
    const waits = Array.from({ length: 9 }, () => {
      restarts.failed()
      const { waitMs } = restarts
      clock.advance(waitMs)
      return waitMs
    })
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  it('shortens a wait by up to a half at random', () => {
    const restarts = new Restarts(createFakeClock(), () => 1)
    restarts.failed()
    expect(restarts.waitMs).toBe(250)
  })

  it('allows another connection at once after one that lived for ten seconds, and not after one that did not', () => {
    const clock = createFakeClock()
    const restarts = new Restarts(clock, () => 0)
    restarts.failed()
    restarts.opened()
    clock.advance(10_000)
    restarts.lost()
    expect(restarts.waitMs).toBe(0)
    restarts.opened()
    clock.advance(9_999)
    restarts.lost()
    expect(restarts.waitMs).toBe(500)
  })

  it('allows five connections a minute', () => {
    const clock = createFakeClock()
    const restarts = new Restarts(clock, () => 0)
    for (let i = 0; i < 5; i++) {
      expect(restarts.waitMs).toBe(0)
      restarts.begun()
      clock.advance(1_000)
    }
    expect(restarts.waitMs).toBe(55_000)
    clock.advance(55_000)
    expect(restarts.waitMs).toBe(0)
  })
})
