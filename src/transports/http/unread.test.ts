import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../testing/index.ts'
import { Unread } from './unread.ts'

function open(limit: number) {
  const clock = createFakeClock()
  const unread = new Unread(clock, limit)
  const cut: string[] = []
  const add = (name: string, frame: Parameters<Unread['add']>[0]) => unread.add(frame, () => cut.push(name))
  return { clock, cut, add, unread }
}

const sourceOf = (size: number) => ({ size, open: async function* () {} })

describe('Unread', () => {
  it('Unread cuts off the oldest whose client has read nothing for two seconds, until the rest is within the limit', () => {
    const { clock, cut, add } = open(25)
    add('a', 'x'.repeat(10))
    const b = add('b', 'x'.repeat(10))
    clock.advance(1_200)
    b.moved()
    add('c', ['x'.repeat(3), { bytes: new Uint8Array(7) }])
    expect(cut).toEqual([])
    clock.advance(1_200)
    add('d', 'x')
    expect(cut).toEqual(['a'])
    clock.advance(1_200)
    add('e', 'x'.repeat(20))
    expect(cut).toEqual(['a', 'b', 'c'])
  })

  it('Unread leaves alone what was read, what is read, and what holds nothing', () => {
    const { clock, cut, add } = open(10)
    add('nothing', [{ bytes: sourceOf(0) }])
    const read = add('read', 'x'.repeat(10))
    const slow = add('slow', 'x'.repeat(10))
    read.gone()
    read.gone()
    clock.advance(3_000)
    slow.moved()
    add('new', 'x'.repeat(10))
    expect(cut).toEqual([])
    clock.advance(3_000)
    add('newer', 'x'.repeat(10))
    expect(cut).toEqual(['slow', 'new'])
  })

  it('Unread counts of a source of bytes what is in hand of one piece: itself and its base64', () => {
    const { clock, cut, add } = open(1_000_000)
    add('small', [{ bytes: sourceOf(300) }])
    add('one', ['{', { bytes: sourceOf(50_000_000) }, { bytes: sourceOf(50_000_000) }, '}'])
    add('two', [{ bytes: sourceOf(50_000_000) }])
    clock.advance(2_100)
    add('text', 'x'.repeat(1_000_000 - 2 * 458_752 - 702))
    expect(cut).toEqual([])
    add('more', 'x')
    expect(cut).toEqual(['small'])
  })

  it('Unread looks again after two seconds, though nothing more is asked for', () => {
    const { clock, cut, add } = open(15)
    add('a', 'x'.repeat(10))
    const b = add('b', 'x'.repeat(10))
    clock.advance(1_000)
    b.moved()
    expect(cut).toEqual([])
    clock.advance(1_000)
    expect(cut).toEqual(['a'])
    clock.advance(5_000)
    expect(cut).toEqual(['a'])
  })

  it('Unread lets requests begin at once while there is room, and then in turn, a few at a time', () => {
    const { clock, add, unread } = open(15)
    const begun: number[] = []
    const ask = (number: number) => unread.whenRoom(() => begun.push(number))
    ask(0)
    const held = add('held', 'x'.repeat(20))
    for (let i = 1; i <= 20; i++) ask(i)
    clock.advance(1_000)
    expect(begun).toEqual([0])
    held.gone()
    // Nobody overtakes those who wait.
    ask(21)
    clock.advance(20)
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    const again = add('again', 'x'.repeat(20))
    clock.advance(1_000)
    expect(begun).toHaveLength(9)
    again.gone()
    clock.advance(40)
    expect(begun).toEqual(Array.from({ length: 22 }, (_, i) => i))
    ask(22)
    expect(begun).toHaveLength(23)
  })

  it('Unread forgets those whose clients go while they wait, and lets the others begin in their place', () => {
    const { clock, add, unread } = open(15)
    const begun: number[] = []
    const ask = (number: number) => unread.whenRoom(() => begun.push(number))
    const held = add('held', 'x'.repeat(20))
    const leave = Array.from({ length: 12 }, (_, i) => ask(i))
    for (const i of [0, 1, 2, 3, 4, 5, 6, 7]) leave[i]!()
    held.gone()
    clock.advance(20)
    expect(begun).toEqual([8, 9, 10, 11])
    leave[8]!()
    expect(ask(12)).toBeUndefined()
    const again = add('again', 'x'.repeat(20))
    ask(13)!()
    // Nothing is left to look after.
    clock.advance(2_000)
    expect(clock.pending).toBe(1)
    again.gone()
    clock.advance(2_000)
    expect([begun, clock.pending]).toEqual([[8, 9, 10, 11, 12], 0])
  })

  it('Unread lets requests begin when those who read nothing were cut off', () => {
    const { clock, cut, add, unread } = open(15)
    add('never read', 'x'.repeat(20))
    let begun = false
    unread.whenRoom(() => {
      begun = true
    })
    clock.advance(1_900)
    expect([begun, cut]).toEqual([false, []])
    clock.advance(200)
    expect([begun, cut]).toEqual([true, ['never read']])
  })
})
