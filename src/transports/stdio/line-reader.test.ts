import { describe, expect, it } from 'vitest'
import { LineReader } from './line-reader.ts'

function read(chunks: readonly string[], limit = 100) {
  const lines: string[] = []
  const tooLong: number[] = []
  const reader = new LineReader(
    limit,
    (line) => lines.push(line.toString()),
    (size) => tooLong.push(size),
  )
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  reader.end()
  return { lines, tooLong }
}

describe('LineReader', () => {
  it.each([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a', 'b', '\n', 'c'],
      ['ab', 'c'],
    ],
    [['a\r\nb\r\n'], ['a', 'b']],
    [['\n\r\n\n a \n'], [' a ']],
    [['', '\n'], []],
    [['ü'], ['ü']],
  ])('cuts %j into %j', (chunks, lines) => {
    expect(read(chunks)).toEqual({ lines, tooLong: [] })
  })

  it('joins a character that two chunks share', () => {
    const lines: string[] = []
    const reader = new LineReader(
      100,
      (line) => lines.push(line.toString()),
      () => undefined,
    )
    const bytes = Buffer.from('日本\n')
    for (const byte of bytes) reader.push(Buffer.of(byte))
    expect(lines).toEqual(['日本'])
  })

  it('drops a line over the limit, tells its size, and reads on', () => {
    expect(read(['x'.repeat(60), 'x'.repeat(60), '\nok\n'])).toEqual({ lines: ['ok'], tooLong: [120] })
    expect(read(['x'.repeat(100), '\n'])).toEqual({ lines: ['x'.repeat(100)], tooLong: [] })
    expect(read(['x'.repeat(101)])).toEqual({ lines: [], tooLong: [101] })
  })

  it('takes time linear in a line that comes in small pieces', { retry: 3 }, () => {
    const cost = (pieces: number): number => {
      const reader = new LineReader(
        2 ** 30,
        () => undefined,
        () => undefined,
      )
      const piece = Buffer.alloc(64, 'x')
      const start = performance.now()
      for (let i = 0; i < pieces; i++) reader.push(piece)
      reader.push(Buffer.from('\n'))
      return performance.now() - start
    }
    cost(10_000)
    const best = (pieces: number): number => Math.min(...Array.from({ length: 5 }, () => cost(pieces)))
    expect(best(80_000) / best(10_000)).toBeLessThan(20)
  })
})
