import { describe, expect, it } from 'vitest'
import { StderrTail } from './stderr-tail.ts'

function tailOf(limit: number, ...chunks: readonly string[]): string {
  const tail = new StderrTail(limit)
  for (const chunk of chunks) tail.push(Buffer.from(chunk))
  return tail.text
}

describe('StderrTail', () => {
  it.each([
    [[], ''],
    [['abc'], 'abc'],
    [['abcd', 'efgh'], 'abcdefgh'],
    [['abcd', 'efgh', 'i'], 'bcdefghi'],
    [['abcdefghijklmnopqrstuvwxyz'], 'stuvwxyz'],
    [['abc', 'defghijklmnopqrstuvwxyz'], 'stuvwxyz'],
    [['abcdefgh', '', 'ij', 'klmnopq'], 'jklmnopq'],
    // Two bytes of the three of a sign are gone.
    [['日abcdefg', ''], 'abcdefg'],
    [['aaaa日日日'], '日日'],
  ])('StderrTail of 8 bytes keeps of %j %j', (chunks, kept) => {
    expect(tailOf(8, ...chunks)).toBe(kept)
  })

  it('StderrTail keeps the end of whatever came, in whatever pieces', () => {
    let text = ''
    const tail = new StderrTail(64)
    for (let i = 0; i < 2_000; i++) {
      const piece = `${i},`.repeat(i % 40)
      text += piece
      tail.push(Buffer.from(piece))
      expect(tail.text).toBe(text.slice(-64))
    }
  })
})
