import { describe, expect, it } from 'vitest'
import { eachEvent, wholeBody } from './body-limit.ts'

/** The piece, counted from 0, at which a check throws; -1 for none. */
function stopsAt(check: (chunk: Uint8Array) => void, pieces: readonly string[]): number {
  return pieces.findIndex((piece) => {
    try {
      check(Buffer.from(piece))
      return false
    } catch {
      return true
    }
  })
}

describe('wholeBody()', () => {
  it('wholeBody() takes as many bytes as it may, and no more', () => {
    expect(stopsAt(wholeBody(4), ['ab', '', 'cd'])).toBe(-1)
    expect(stopsAt(wholeBody(4), ['ab', 'cd', 'e'])).toBe(2)
    expect(stopsAt(wholeBody(4), ['日本'])).toBe(0)
  })
})

describe('eachEvent()', () => {
  // Ends of lines do not count: `data: 12` has 8 bytes.
  it.each<[readonly string[], number]>([
    [['data: 12\n\ndata: 12\n\ndata: 12\n\n'], -1],
    [['data: 12\r\n\r\ndata: 12\r\n\r\n'], -1],
    [['data: 12\r\rdata: 12\r\r'], -1],
    [['data: 12\r\n', '\r', '\n', 'data: 12\n\n'], -1],
    [['data: 12\r', '\n\r', '\ndata: 12'], -1],
    [['data: 123\n\n'], 0],
    [['data', ': 12', '3'], 2],
    [['data:\n', 'id:\n', '\n', 'data: 12'], -1],
    [['data:\n', 'id:\n', 'x\n'], 2],
    [['data:1\rdata:1\r'], 0],
  ])('eachEvent() of at most 8 bytes stops %j at piece %i', (pieces, index) => {
    expect(stopsAt(eachEvent(8), pieces)).toBe(index)
  })

  it('eachEvent() finds the ends of events wherever pieces are cut', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `data: 12${end}${end}: 123456${end}${end}${end}data: 12${end}${end}`
      for (let cut = 0; cut <= text.length; cut++) {
        for (let again = cut; again <= text.length; again++) {
          expect(stopsAt(eachEvent(8), [text.slice(0, cut), text.slice(cut, again), text.slice(again)])).toBe(-1)
        }
      }
      expect(stopsAt(eachEvent(7), [text])).toBe(0)
    }
  })
})
