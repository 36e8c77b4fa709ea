import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PackedNames } from './packed-names.ts'
import type { EntryKind } from './packed-names.ts'

const bytesOf = (name: string) => Buffer.from(name, 'utf8').toString('latin1')

async function packed(names: readonly string[], kind: EntryKind = 'file'): Promise<PackedNames> {
  const all = new PackedNames()
  for (const name of names) all.add(bytesOf(name), kind)
  await all.order()
  return all
}

const namesOf = (all: PackedNames) => Array.from({ length: all.length }, (_, i) => all.at(i)?.name)

/** Names that share beginnings, from every part of Unicode where UTF-8 and UTF-16 sort differently. */
const name = fc
  .array(
    fc.constantFrom('a', 'b', '-', '.', '\u007e', '\u00e9', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffee', '😀', '\u{10ffff}'),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((characters) => characters.join(''))

describe('PackedNames', () => {
  it('PackedNames gives any names in the order of their UTF-16 code units', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 60 }), async (names) => {
        expect(namesOf(await packed(names))).toEqual(names.toSorted())
      }),
      { numRuns: 300 },
    )
  })

  it('PackedNames finds the first name that is not before a text, whatever the text', async () => {
    const text = fc.oneof(name, fc.string({ unit: 'binary', maxLength: 3 }))
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 40 }), text, async (names, wanted) => {
        const before = names.filter((one) => one < wanted).length
        expect((await packed(names)).find(wanted)).toBe(before)
      }),
      { numRuns: 300 },
    )
  })

  it('PackedNames keeps what each name stands for, and puts a name before those that begin with it', async () => {
    const all = new PackedNames()
    for (const [one, kind] of [
      ['ab', 'link'],
      ['a', 'file'],
      ['a b', 'directory'],
      ['a.b', 'directory'],
      ['', 'link'],
    ] as const) {
      expect(all.add(one, kind)).toBe(true)
    }
    await all.order()
    expect(Array.from({ length: 6 }, (_, i) => all.at(i))).toEqual([
      { name: '', kind: 'link' },
      { name: 'a', kind: 'file' },
      { name: 'a b', kind: 'directory' },
      { name: 'a.b', kind: 'directory' },
      { name: 'ab', kind: 'link' },
      undefined,
    ])
    expect([all.at(-1), new PackedNames().at(0), new PackedNames().find('a')]).toEqual([undefined, undefined, 0])
  })

  it('PackedNames gives a name once that came twice', async () => {
    const all = new PackedNames()
    for (const [one, kind] of [
      ['b', 'file'],
      ['a', 'file'],
      ['b', 'directory'],
      ['ab', 'file'],
      ['a', 'file'],
    ] as const) {
      all.add(one, kind)
    }
    await all.order()
    expect([all.length, namesOf(all), all.find('b')]).toEqual([3, ['a', 'ab', 'b'], 2])
  })

  it('PackedNames takes 17 bytes for each of 300,000 names of 12 characters', async () => {
    const all = new PackedNames()
    for (let i = 0; i < 300_000; i++) all.add(`file-${String((i * 7_919) % 300_000).padStart(7, '0')}`, 'file')
    await all.order()
    expect([all.length, Math.round(all.bytes / 300_000)]).toEqual([300_000, 17])
    for (const i of [0, 1, 149_999, 299_999]) {
      const expected = `file-${String(i).padStart(7, '0')}`
      expect([all.at(i)?.name, all.find(expected)]).toEqual([expected, i])
    }
  })

  it('PackedNames has room for 128 MiB of names, and says when there is no more', () => {
    const all = new PackedNames()
    const long = 'x'.repeat(1_023)
    let count = 0
    while (all.add(long, 'file')) count++
    expect(count).toBe(127_316)
  })
})
