import { describe, expect, it } from 'vitest'
import { closest } from './closest.ts'

const KEYS = ['name', 'mounts', 'http', 'identity', 'rate', 'concurrency', 'access', 'deadline', 'audit']

describe('closest()', () => {
  it.each([
    ['mount', 'mounts'],
    ['mounst', 'mounts'],
    ['Rate', 'rate'],
    ['concurency', 'concurrency'],
    ['deadlnie', 'deadline'],
    ['nmae', 'name'],
    ['colour', undefined],
    ['', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('takes %.20s for %s', (text, word) => {
    expect(closest(text, KEYS)).toBe(word)
  })
})
