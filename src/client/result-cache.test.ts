import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResultCache } from './result-cache.ts'

const result = (bytes: number) => ({ value: bytes, bytes, freshUntil: 0, askedAt: 0, uri: undefined })

describe('createResultCache()', () => {
  it('lets go of what was used longest ago', () => {
    const cache = createResultCache({ maxBytes: 100 })
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, result(25))
    cache.get('a')
    cache.set('e', result(25))
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd', 'e'])
  })

  it('does not keep what would push out the others', () => {
    const cache = createResultCache({ maxBytes: 100 })
    cache.set('a', result(25))
    cache.set('b', result(26))
    expect([cache.get('a')?.bytes, cache.get('b'), cache.bytes]).toEqual([25, undefined, 25])
    cache.set('a', result(26))
    expect([cache.get('a'), cache.bytes]).toEqual([undefined, 0])
  })

  it('never keeps more bytes than it may, whatever happens', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('set', 'delete', 'get'), fc.nat(9), fc.nat(400)), { maxLength: 200 })
    fc.assert(
      fc.property(steps, (all) => {
        const cache = createResultCache({ maxBytes: 1_000 })
        for (const [what, key, bytes] of all) {
          if (what === 'set') cache.set(`${key}`, result(bytes))
          else if (what === 'delete') cache.delete(`${key}`)
          else cache.get(`${key}`)
          const kept = Array.from({ length: 10 }, (_, i) => cache.get(`${i}`)?.bytes ?? 0).reduce((sum, one) => sum + one, 0)
          expect(cache.bytes).toBe(kept)
          expect(cache.bytes).toBeLessThanOrEqual(1_000)
        }
      }),
    )
  })

  it.each([[-1], [Number.NaN], [Infinity]])('refuses a limit of %s bytes', (maxBytes) => {
    expect(() => createResultCache({ maxBytes })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })
})
