import { describe, expect, it } from 'vitest'
import { readContents } from './contents.ts'
import { NoticeList } from './items.ts'

function contentsOf(value: unknown, uri = 'x://a') {
  const notices = new NoticeList()
  return { contents: readContents(value, uri, notices), notices: notices.told.map(({ message }) => message) }
}

describe('readContents()', () => {
  it('gives all of them in order, with what nobody knows', () => {
    const value = [
      { uri: 'x://a', mimeType: 'text/plain', text: 'one', _meta: { 'a/b': 1 }, vendor: true },
      { uri: 'x://a', mimeType: 'image/png', blob: 'AAA=' },
      { uri: 'x://a/b', text: '' },
    ]
    expect(contentsOf(value)).toEqual({
      contents: [
        { uri: 'x://a', mimeType: 'text/plain', text: 'one', _meta: { 'a/b': 1 }, vendor: true },
        { uri: 'x://a', mimeType: 'image/png', bytes: new Uint8Array([0, 0]) },
        { uri: 'x://a/b', text: '' },
      ],
      notices: [],
    })
  })

  it('sets aside what is neither text nor bytes, names it, and takes the rest', () => {
    const value = [
      null,
      { uri: 'x://a' },
      { uri: 'x://a', text: 7 },
      { uri: 'x://a', blob: 'not base64!' },
      { uri: 'x://a', blob: 'AB==' },
      { text: 'no uri', mimeType: 7, _meta: 7 },
      { uri: 'x://a', text: 'both', blob: 'AAAA' },
      { uri: 'y://other', text: 'o' },
    ]
    expect(contentsOf(value)).toEqual({
      contents: [
        { uri: 'x://a', text: 'no uri' },
        { uri: 'x://a', text: 'both' },
        { uri: 'y://other', text: 'o' },
      ],
      notices: [
        'Content 0 is no object; set aside',
        'Content 1 has neither text nor blob; set aside',
        'Content 2 has neither text nor blob; set aside',
        'Content 3 has a blob that is no base64; set aside',
        'Content 4 has a blob that is no base64; set aside',
        'Content 5 has no uri; taken for the one that was asked for',
        'Content 6 has a text and a blob; the text is taken',
        'Content 7 is of "y://other", which is neither what was asked for nor below it',
      ],
    })
  })

  it.each([
    ['x://a', 'x://a/b', []],
    ['x://a/', 'x://a/b', []],
    ['X://a%7e', 'x://a~', []],
    ['x://a', 'x://ab', ['Content 0 is of "x://ab", which is neither what was asked for nor below it']],
    ['no uri', 'no uri', []],
  ])('of %s, a content of %s', (asked, uri, notices) => {
    expect(contentsOf([{ uri, text: '' }], asked).notices).toEqual(notices)
  })

  it.each([[undefined], [null], [{}], ['text']])('of an answer with the contents %j says that there is no list', (value) => {
    expect(contentsOf(value)).toEqual({ contents: [], notices: ['The answer has no list of contents'] })
  })

  it('takes the first 10,000 of 100,000', () => {
    const { contents, notices } = contentsOf(Array.from({ length: 100_000 }, () => ({ uri: 'x://a', text: '' })))
    expect([contents.length, notices]).toEqual([10_000, ['Of 100000 contents the first 10000 are taken']])
  })

  it('keeps lone surrogates and odd keys as they are', () => {
    const [one] = contentsOf(JSON.parse('[{"uri":"x://a","text":"\\ud800","__proto__":{"blob":"AAAA"}}]')).contents
    expect(one?.text).toBe('\ud800')
    expect(one?.bytes).toBeUndefined()
  })
})
