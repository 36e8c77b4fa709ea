import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../testing/index.ts'
import type { Attempt } from './attempts.ts'
import { Attempts, networkOf } from './attempts.ts'

const begun = (attempts: Attempts, address: string, token: string): Attempt => {
  const attempt = attempts.begin(address, token)
  if (typeof attempt === 'number') throw new Error(`wait ${attempt} ms`)
  return attempt
}

describe('Attempts', () => {
  it('counts what has not ended, so that many at once are not more than ten', () => {
    const attempts = new Attempts(createFakeClock())
    const open = Array.from({ length: 10 }, (_, i) => begun(attempts, 'a', `t${i}`))
    expect(attempts.begin('a', 'x')).toBe(6_000)
    for (const attempt of open) attempt.ended('good')
    expect(attempts.begin('a', 'x')).toBeTypeOf('object')
  })

  it('takes many requests with one new token for one attempt', () => {
    const attempts = new Attempts(createFakeClock())
    const open = Array.from({ length: 100 }, () => begun(attempts, 'a', 'new'))
    for (const attempt of open) attempt.ended('good')
    for (let i = 0; i < 10; i++) begun(attempts, 'a', `t${i}`)
    expect(attempts.begin('a', 'x')).toBe(6_000)
  })

  it('counts nothing that could not be found out', () => {
    const attempts = new Attempts(createFakeClock())
    for (let i = 0; i < 50; i++) begun(attempts, 'a', `t${i}`).ended('unknown')
  })

  it('does not count the first time that a token which was good is not, and counts the second', () => {
    const attempts = new Attempts(createFakeClock())
    for (let i = 0; i < 20; i++) begun(attempts, 'a', `t${i}`).ended('good')
    for (let i = 0; i < 20; i++) begun(attempts, 'a', `t${i}`).ended('bad')
    for (let i = 0; i < 10; i++) begun(attempts, 'a', `t${i}`).ended('bad')
    expect(attempts.begin('a', 't11')).toBe(6_000)
  })

  it('forgets who failed longest ago beyond ten thousand addresses', () => {
    const attempts = new Attempts(createFakeClock())
    for (let i = 0; i < 10; i++) begun(attempts, 'first', `t${i}`).ended('bad')
    expect(attempts.begin('first', 'x')).toBe(6_000)
    for (let i = 0; i < 10_000; i++) begun(attempts, `other ${i}`, 'bad').ended('bad')
    expect(attempts.begin('first', 'x')).toBeTypeOf('object')
  })
})

describe('networkOf()', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
