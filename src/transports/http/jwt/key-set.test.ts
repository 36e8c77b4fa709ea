import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../testing/index.ts'
import { ABSENT_MS, AGAIN_MS, AHEAD_MS, FRESH_MS, GRACE_MS, KeySet } from './key-set.ts'

/** An issuer with these keys, which counts how often it is asked. */
function issuer(...kids: readonly string[]) {
  const clock = createFakeClock()
  const state = { kids, down: false, asked: 0 }
  const keySet = new KeySet(async () => {
    state.asked++
    if (state.down) throw new Error(`down ${state.asked}`)
    return { kids: new Set(state.kids) }
  }, clock)
  const knows = async (kid: string | undefined): Promise<boolean> => (await keySet.with(kid)) !== undefined
  return { clock, state, knows }
}

describe('KeySet', () => {
  it('asks once for what many want at once, and not again while the keys are fresh', async () => {
    const { clock, state, knows } = issuer('a', 'b')
    expect(await Promise.all([knows('a'), knows('b'), knows('a')])).toEqual([true, true, true])
    clock.advance(FRESH_MS - AHEAD_MS - 1)
    expect([await knows('a'), state.asked]).toEqual([true, 1])
    clock.advance(1)
    expect([await knows('a'), state.asked]).toEqual([true, 2])
  })

  it('finds a key that the issuer took into use since, and forgets one that is gone', async () => {
    const { clock, state, knows } = issuer('a')
    await knows('a')
    clock.advance(AGAIN_MS)
    state.kids = ['b']
    expect([await knows('b'), await knows('a'), state.asked]).toEqual([true, false, 2])
  })

  it('asks for keys that are not there no more often than every ten seconds', async () => {
    const { clock, state, knows } = issuer('a')
    await knows('a')
    for (let i = 0; i < 50; i++) expect(await knows(`made up ${i}`)).toBe(false)
    expect(state.asked).toBe(1)
    clock.advance(AGAIN_MS)
    for (let i = 50; i < 100; i++) expect(await knows(`made up ${i}`)).toBe(false)
    expect(state.asked).toBe(2)
  })

  it('asks for a key that was not there again after five minutes, and for others before', async () => {
    const { clock, state, knows } = issuer('a')
    expect(await knows('x')).toBe(false)
    state.kids = ['a', 'x', 'y']
    clock.advance(AGAIN_MS)
    expect([await knows('x'), state.asked]).toEqual([false, 1])
    // The question for another key brings the answer for both.
    expect([await knows('y'), await knows('x'), state.asked]).toEqual([true, true, 2])
    state.kids = ['a']
    clock.advance(AGAIN_MS)
    expect(await knows('z')).toBe(false)
    clock.advance(ABSENT_MS)
    state.kids = ['a', 'z']
    expect(await knows('z')).toBe(true)
  })

  it('does not take a key for absent that it has not asked for', async () => {
    const { clock, state, knows } = issuer('a')
    await knows('a')
    state.kids = ['a', 'x']
    clock.advance(AGAIN_MS - 1)
    expect([await knows('x'), state.asked]).toEqual([false, 1])
    clock.advance(1)
    expect([await knows('x'), state.asked]).toEqual([true, 2])
  })

  it('uses known keys for ten minutes while the issuer is down, and then none', async () => {
    const { clock, state, knows } = issuer('a')
    await knows('a')
    state.down = true
    clock.advance(FRESH_MS)
    expect(await knows('a')).toBe(true)
    await expect(knows('b')).rejects.toThrow('down 2')
    clock.advance(GRACE_MS - 1)
    expect(await knows('a')).toBe(true)
    clock.advance(AGAIN_MS)
    await expect(knows('a')).rejects.toThrow('down')
    state.down = false
    clock.advance(AGAIN_MS)
    expect(await knows('a')).toBe(true)
  })

  it('does not wait for an issuer that is slow to say that known keys are still there', async () => {
    const clock = createFakeClock()
    let answers = 0
    const keySet = new KeySet(
      () => (answers++ === 0 ? Promise.resolve({ kids: new Set(['a']) }) : new Promise<never>(() => undefined)),
      clock,
    )
    await keySet.with('a')
    clock.advance(FRESH_MS - 1)
    expect((await keySet.with('a'))?.kids).toEqual(new Set(['a']))
    expect(answers).toBe(2)
  })

  it('takes no key that is gone once five minutes are over, though nobody came meanwhile', async () => {
    const { clock, state, knows } = issuer('a')
    await knows('a')
    state.kids = ['b']
    clock.advance(FRESH_MS)
    expect(await Promise.all([knows('a'), knows('b')])).toEqual([false, true])
    expect(state.asked).toBe(2)
  })

  it('does not wait for an issuer that failed to say so a moment ago', async () => {
    const clock = createFakeClock()
    const answers = [
      Promise.resolve({ kids: new Set(['a']) }),
      Promise.reject(new Error('down')),
      new Promise<never>(() => undefined),
    ]
    const keySet = new KeySet(() => answers.shift()!, clock)
    await keySet.with('a')
    clock.advance(FRESH_MS)
    expect((await keySet.with('a'))?.kids).toEqual(new Set(['a']))
    clock.advance(AGAIN_MS)
    expect((await keySet.with('a'))?.kids).toEqual(new Set(['a']))
    expect(answers).toEqual([])
  })

  it('rejects with the same failure, without asking again, until the next question', async () => {
    const { clock, state, knows } = issuer('a')
    state.down = true
    const failures = await Promise.all([1, 2, 3].map(() => knows('a').catch((error: unknown) => error)))
    failures.push(await knows('a').catch((error: unknown) => error))
    expect([new Set(failures).size, state.asked]).toEqual([1, 1])
    clock.advance(AGAIN_MS)
    await expect(knows('a')).rejects.toThrow('down 2')
  })

  it('leaves a token without a key id to whoever verifies it', async () => {
    const { knows } = issuer()
    expect(await knows(undefined)).toBe(true)
  })
})
