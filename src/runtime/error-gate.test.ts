import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ShelfError } from '../errors.ts'
import { ErrorGate } from './error-gate.ts'

const fault = (message: string) => new ShelfError('parse-error', message, {})

describe('ErrorGate', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ErrorGate reports the first at once, the others once a second, and how many there were', () => {
    const told: string[] = []
    const gate = new ErrorGate(({ message }) => told.push(message))
    gate.push(fault('a'))
    gate.push(fault('b'))
    gate.push(fault('c'))
    expect(told).toEqual(['a'])
    vi.advanceTimersByTime(1_000)
    expect(told).toEqual(['a', 'c (the last of 2 since the report before)'])
    gate.push(fault('d'))
    vi.advanceTimersByTime(5_000)
    expect(told.slice(2)).toEqual(['d'])
    gate.push(fault('e'))
    expect(told.slice(3)).toEqual(['e'])
  })

  it('ErrorGate reports what it held back when it is closed', () => {
    const told: string[] = []
    const gate = new ErrorGate(({ message }) => told.push(message))
    for (let i = 0; i < 1_000; i++) gate.push(fault(`${i}`))
    gate.close()
    expect(told).toEqual(['0', '999 (the last of 999 since the report before)'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
