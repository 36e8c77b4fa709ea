import { settleable } from '../../library/index.ts'
import { describe, expect, it } from 'vitest'
import { AtOnce } from './at-once.ts'

describe('AtOnce', () => {
  it('run() does so much at a time, in order, whatever becomes of it', async () => {
    const turns = new AtOnce(2)
    const begun: number[] = []
    const ends = Array.from({ length: 5 }, () => settleable<number>())
    const works = ends.map(({ promise }, i) =>
      turns.run(() => {
        begun.push(i)
        return promise
      }),
    )
    const outcomes = Promise.allSettled(works)
    expect(begun).toEqual([0, 1])
    ends[1]!.reject(new Error('no'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual([0, 1, 2])
    for (const [i, { resolve }] of ends.entries()) resolve(i)
    expect((await outcomes).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
      0,
      'failed',
      2,
      3,
      4,
    ])
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('run() goes on after work that throws at once', async () => {
    const turns = new AtOnce(1)
    const broken = turns.run(() => {
      throw new Error('no')
    })
    await expect(broken).rejects.toThrow('no')
    expect(await turns.run(async () => 1)).toBe(1)
  })
})
