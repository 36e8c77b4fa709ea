import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { settleable } from './settleable.ts'
import { SharedWork } from './shared-work.ts'

describe('SharedWork', () => {
  it('join() does once what several want, and again what is wanted later', async () => {
    const work = new SharedWork()
    let begun = 0
    const join = () => work.join('k', undefined, async () => ++begun)
    expect(await Promise.all([join(), join(), join()])).toEqual([1, 1, 1])
    expect(await join()).toBe(2)
  })

  it('join() tells a failure to all who wait', async () => {
    const work = new SharedWork()
    const join = () => work.join('k', undefined, () => Promise.reject(new Error('no')))
    const outcomes = await Promise.allSettled([join(), join()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('join() stops the work when all have given up, and not before', async () => {
    const work = new SharedWork()
    const first = new AbortController()
    const second = new AbortController()
    const never = settleable<void>()
    let signal: AbortSignal | undefined
    const begin = (given: AbortSignal) => {
      signal = given
      return never.promise
    }
    const joined = [work.join('k', first.signal, begin), work.join('k', second.signal, begin)]
    const outcomes = Promise.allSettled(joined)
    first.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(signal?.aborted).toBe(false)
    second.abort()
    await outcomes
    expect(signal?.aborted).toBe(true)
    never.reject(new Error('too late for anybody'))
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('join() leaves no listener on a signal', async () => {
    const work = new SharedWork()
    const { signal } = new AbortController()
    await work.join('k', signal, async () => 1)
    await work.join('k', signal, () => Promise.reject(new Error('no'))).catch(() => undefined)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('join() tells the work how many wait, and gives back what nobody waits for any more', async () => {
    const work = new SharedWork()
    const caller = new AbortController()
    const unwanted: unknown[] = []
    const answer = settleable<string>()
    let waiting: (() => number) | undefined
    const join = (signal?: AbortSignal) =>
      work.join(
        'k',
        signal,
        (_, count) => {
          waiting = count
          return answer.promise
        },
        (result) => unwanted.push(result),
      )
    const both = Promise.allSettled([join(caller.signal), join(caller.signal)])
    expect(waiting?.()).toBe(2)
    caller.abort()
    await both
    answer.resolve('late')
    await expect.poll(() => unwanted).toEqual(['late'])
    expect(await join()).toBe('late')
    expect(unwanted).toEqual(['late'])
  })
})
