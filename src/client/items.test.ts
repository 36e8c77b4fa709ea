import { describe, expect, it } from 'vitest'
import type { Resource } from '../protocol/index.ts'
import { NoticeList, readItems } from './items.ts'

function itemsOf(value: unknown, key: 'uri' = 'uri') {
  const notices = new NoticeList()
  return { items: readItems<Resource>(value, key, notices), notices: notices.told.map(({ message }) => message) }
}

function nested(levels: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
}

describe('readItems()', () => {
  it('leaves an item as it came, with what nobody knows', () => {
    const item = {
      uri: 'x:1',
      name: 'n',
      vendor: { deep: [1] },
      _meta: { 'a/b': null },
      annotations: { priority: 0.5, mood: 'good' },
    }
    expect(itemsOf([item])).toEqual({ items: [item], notices: [] })
  })

  it('sets aside what has no URI, names it, and takes the rest', () => {
    const value = [null, 7, 'x:1', [], {}, { uri: 5, name: 'five' }, { uri: '', title: 'empty' }, { uri: 'x:1', name: 'one' }]
    expect(itemsOf(value)).toEqual({
      items: [{ uri: 'x:1', name: 'one' }],
      notices: [
        'Entry 0 is no object; set aside',
        'Entry 1 is no object; set aside',
        'Entry 2 is no object; set aside',
        'Entry 3 is no object; set aside',
        'Entry 4 (without a name) has no uri; set aside',
        'Entry 5 ("five") has no uri; set aside',
        'Entry 6 ("empty") has no uri; set aside',
      ],
    })
  })

  it('leaves out members of the wrong type, and names them', () => {
    const item = {
      uri: 'x://a/b',
      name: 7,
      title: {},
      description: null,
      mimeType: ['text/plain'],
      size: -1,
      annotations: { priority: 'high', audience: 'all', lastModified: 5, kept: 1 },
      icons: [{ src: 1 }],
      _meta: [],
    }
    expect(itemsOf([item])).toEqual({
      items: [{ uri: 'x://a/b', name: 'b', annotations: { kept: 1 } }],
      notices: [
        '"x://a/b": name is no text',
        '"x://a/b": title is no text; left out',
        '"x://a/b": description is no text; left out',
        '"x://a/b": mimeType is no text; left out',
        '"x://a/b": size is no number of bytes; left out',
        '"x://a/b": annotations.audience is no list of texts; left out',
        '"x://a/b": annotations.priority is no number from 0 to 1; left out',
        '"x://a/b": annotations.lastModified is no text; left out',
        '"x://a/b": _meta is no object; left out',
        '"x://a/b": icons are no list of objects with a src; left out',
      ],
    })
  })

  it.each([['users/me'], ['scan 01.pdf'], ['my_app://x'], ['\ud800'], ['__proto__'], ['urn:x:y'], ['foo:///bar/b.txt']])(
    'takes the URI %j as it is',
    (uri) => {
      expect(itemsOf([{ uri, name: 'n' }])).toEqual({ items: [{ uri, name: 'n' }], notices: [] })
    },
  )

  it('is not fooled by keys that mean something to the language', () => {
    const { items } = itemsOf(JSON.parse('[{"uri":"x:1","__proto__":{"name":"evil"},"constructor":1}]'))
    expect(items).toHaveLength(1)
    expect(items[0]?.name).toBe('x:1')
    expect(Object.getPrototypeOf(items[0])).toBe(Object.prototype)
  })

  it('sets aside what is nested without end', () => {
    const { items, notices } = itemsOf([
      { uri: 'x:1', name: 'n', _meta: nested(100_000) },
      { uri: 'x:2', name: 'n', _meta: nested(90) },
    ])
    expect(items.map(({ uri }) => uri)).toEqual(['x:2'])
    expect(notices).toEqual(['"x:1" has more than 100 levels; set aside'])
  })

  it.each([[null], [7], ['all'], [{}]])('takes the list %j for empty, and says so', (value) => {
    expect(itemsOf(value)).toEqual({ items: [], notices: ['The list is no array; taken for empty'] })
  })

  it('takes a list that is not there for empty', () => {
    expect(itemsOf(undefined)).toEqual({ items: [], notices: [] })
  })

  it('tells twenty notices, and how many more there are', () => {
    const { notices } = itemsOf(Array(100_000).fill(7))
    expect([notices.length, notices.at(-1)]).toEqual([21, 'and 99980 more like these'])
  })

  it('keeps notices short', () => {
    const { notices } = itemsOf([{ uri: `x:${'y'.repeat(100_000)}`, name: 7 }, { name: 'z'.repeat(100_000) }])
    expect(notices.every((notice) => notice.length < 200)).toBe(true)
  })
})
