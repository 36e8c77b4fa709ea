import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure, text } from '../../../test/library/reading.ts'
import { createFakeClock } from '../../testing/index.ts'
import type { Call, Principal } from '../call.ts'
import { localCall } from '../call.ts'
import { createLibrary } from '../library.ts'
import type { RateOptions } from './rate.ts'
import { rate } from './rate.ts'
import { TokenBucket } from './token-bucket.ts'

const callOf = (id: string, kind: Principal['kind'] = 'authenticated'): Call =>
  localCall({ principal: { id, kind, scopes: [], claims: {} } })

function limited(options: RateOptions = {}) {
  const clock = createFakeClock()
  const shelf = createLibrary({ name: 'acme' })
    .resource('x:1', () => 'one')
    .template('t:{x}', { complete: { x: ['a'] } }, () => '')
    .use(rate({ clock, ...options }))
  const read = (call: Call) => shelf.read({ uri: 'x:1', maxBytes: 10 }, call)
  const complete = (call: Call) => shelf.complete({ template: 't:{x}', variable: 'x', prefix: '', arguments: {}, limit: 1 }, call)
  /** How many of an operation get through before one does not, and what that one says. */
  const until = async (work: () => Promise<unknown>): Promise<readonly [number, unknown]> => {
    for (let count = 0; ; count++) {
      try {
        await work()
      } catch (error) {
        return [count, error]
      }
    }
  }
  return { clock, shelf, read, complete, until }
}

describe('rate()', () => {
  it('lets a burst of 100 and then 50 a second through, and says to the millisecond when the next one is', async () => {
    const { clock, read, until } = limited()
    const [count, error] = await until(() => read(callOf('alice')))
    expect(count).toBe(100)
    expect(error).toMatchObject({
      code: 'busy',
      message: 'Too many requests; try again in 20 ms',
      details: { retryAfterMs: 20 },
    })
    clock.advance(5)
    expect(await failure(read(callOf('alice')))).toMatchObject({ details: { retryAfterMs: 15 } })
    clock.advance(14)
    expect(await failure(read(callOf('alice')))).toMatchObject({ details: { retryAfterMs: 1 } })
    clock.advance(1)
    expect((await until(() => read(callOf('alice'))))[0]).toBe(1)
    clock.advance(1000)
    expect((await until(() => read(callOf('alice'))))[0]).toBe(50)
    clock.advance(100_000)
    expect((await until(() => read(callOf('alice'))))[0]).toBe(100)
  })

  it('does not hear what the wall clock says', async () => {
    const { clock, read, until } = limited({ perSecond: 1, burst: 1 })
    await until(() => read(callOf('alice')))
    clock.setWall(clock.wall() + 3_600_000)
    expect(await failure(read(callOf('alice')))).toMatchObject({ details: { retryAfterMs: 1000 } })
    clock.setWall(0)
    clock.advance(1000)
    expect(await read(callOf('alice'))).toMatchObject({ kind: 'contents' })
  })

  it('counts each authenticated principal for itself, all anonymous ones together, and the local one not', async () => {
    const { read, until, shelf } = limited({ burst: 3 })
    expect((await until(() => read(callOf('alice'))))[0]).toBe(3)
    expect((await until(() => read(callOf('anonymous'))))[0]).toBe(3)
    let i = 0
    expect((await until(() => read(callOf(`nobody ${i++}`, 'anonymous'))))[0]).toBe(3)
    for (let n = 0; n < 1000; n++) expect(await text(shelf, 'x:1')).toBe('one')
  })

  it('counts completions apart, in the same proportion', async () => {
    const { clock, read, complete, until } = limited()
    const [count, error] = await until(() => complete(callOf('alice')))
    expect([count, error]).toMatchObject([20, { code: 'busy', details: { retryAfterMs: 100 } }])
    expect((await until(() => read(callOf('alice'))))[0]).toBe(100)
    clock.advance(1000)
    expect((await until(() => complete(callOf('alice'))))[0]).toBe(10)
  })

  it('counts a request once, however many stats and lists it takes, and again after it was refused', async () => {
    const { clock, shelf, until } = limited({ burst: 2 })
    const call = callOf('alice')
    for (let i = 0; i < 256; i++) await shelf.stat({ uri: 'x:1' }, call)
    await shelf.list({ limit: 1 }, call)
    await shelf.list({ limit: 1 }, callOf('alice'))
    const next = callOf('alice')
    expect((await until(() => shelf.list({ limit: 1 }, next)))[0]).toBe(0)
    expect((await until(() => shelf.list({ limit: 1 }, next)))[0]).toBe(0)
    clock.advance(20)
    await shelf.list({ limit: 1 }, next)
  })

  it('counts every read of a Call', async () => {
    const { read, until } = limited({ burst: 2 })
    const call = callOf('alice')
    expect((await until(() => read(call)))[0]).toBe(2)
  })

  it('forgets who asked longest ago, and only when it knows too many', async () => {
    const { read } = limited({ burst: 1, principals: 2 })
    for (const id of ['alice', 'bob']) await read(callOf(id))
    expect(await failure(read(callOf('alice')))).toMatchObject({ code: 'busy' })
    await read(callOf('carol'))
    expect(await failure(read(callOf('alice')))).toMatchObject({ code: 'busy' })
    await read(callOf('bob'))
  })

  it.each([
    ['perSecond', 0],
    ['burst', 0.5],
    ['completionsPerSecond', Number.NaN],
    ['principals', 0],
  ])('refuses %s of %d', (option, value) => {
    expect(() => rate({ [option]: value })).toThrow(expect.objectContaining({ code: 'invalid-option', details: { option } }))
  })
})

describe('TokenBucket', () => {
  it('is exact: there is a token after the time it says, and none a millisecond before', () => {
    const flow = fc.record({
      perSecond: fc.double({ min: 0.01, max: 5000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 50 }),
    })
    fc.assert(
      fc.property(flow, fc.array(fc.nat(3000), { maxLength: 50 }), fc.nat(1e9), (bounds, pauses, start) => {
        const bucket = new TokenBucket(bounds)
        let now = start
        let taken = 0
        for (const pause of pauses) {
          now += pause
          const wait = bucket.take(now)
          if (wait > 0) {
            expect(bucket.take(now + wait - 1)).toBeGreaterThan(0)
            now += wait
            expect(bucket.take(now)).toBe(0)
          }
          taken++
          expect(taken).toBeLessThanOrEqual(bounds.burst + ((now - start) / 1000) * bounds.perSecond + 1e-3)
        }
      }),
    )
  })
})
