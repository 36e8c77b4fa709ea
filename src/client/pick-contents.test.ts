import { describe, expect, it } from 'vitest'
import { pickContents } from './pick-contents.ts'

const uri = 'x:1'
const bytes = new Uint8Array()
const ALL = [
  { uri, bytes, mimeType: 'image/png' },
  { uri, text: 'h', mimeType: 'TEXT/HTML; charset=utf-8' },
  { uri, text: 'p' },
  { uri, bytes },
]

describe('pickContents()', () => {
  it.each([
    [['text/html'], 1],
    [['text/markdown', 'text/*'], 1],
    [['text/plain'], 2],
    [['application/octet-stream'], 3],
    [['image/*', 'text/*'], 0],
  ])('picks by %j', (preferred, index) => {
    expect(pickContents(ALL, preferred)).toBe(ALL[index])
  })

  it.each([[[]], [['audio/*']], [['text']], [['*']], [['']]])('picks nothing by %j', (preferred) => {
    expect(pickContents(ALL, preferred)).toBeUndefined()
  })
})
