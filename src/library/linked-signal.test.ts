import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { linkedSignal } from './linked-signal.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('linkedSignal()', () => {
  it('fires when one of its sources does, and lets go of the others', () => {
    const [one, other] = [new AbortController(), new AbortController()]
    const { signal } = linkedSignal(one.signal, other.signal)
    expect([signal.aborted, listeners(one.signal), listeners(other.signal)]).toEqual([false, 1, 1])
    other.abort()
    expect([signal.aborted, listeners(one.signal), listeners(other.signal)]).toEqual([true, 0, 0])
  })

  it('has fired where a source has', () => {
    const one = new AbortController()
    expect(linkedSignal(one.signal, AbortSignal.abort()).signal.aborted).toBe(true)
    expect(listeners(one.signal)).toBe(0)
  })

  it('leaves nothing on its sources when it is ended, however many there were', () => {
    const { signal } = new AbortController()
    const linked = Array.from({ length: 100 }, () => linkedSignal(signal))
    expect(listeners(signal)).toBe(1)
    for (const { end } of linked) end()
    expect([listeners(signal), linked.every((one) => one.signal.aborted)]).toEqual([0, true])
  })
})
