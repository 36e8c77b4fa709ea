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

  it('LineReader tells of a line that has become too long before it ends, once', () => {
    const told: string[] = []
    const reader = new LineReader(
      4,
      (line) => told.push(line.toString()),
      (size) => told.push(`ended ${size}`),
      (size) => told.push(`over ${size}`),
    )
    for (const chunk of ['abcd', 'ef', 'gh', '\nabcd\n', 'abcdefgh\n']) reader.push(Buffer.from(chunk))
    expect(told).toEqual(['over 6', 'ended 8', 'abcd', 'over 8', 'ended 8'])
  })

  it('LineReader keeps the two ends of a line that is too long', () => {
    const ends: object[] = []
    const reader = new LineReader(
      1_000,
      () => undefined,
      (_size, line) => ends.push(line),
      (_size, line) => ends.push(line),
    )
    for (const chunk of ['ab', 'c'.repeat(3_000), 'de', 'f\n']) reader.push(Buffer.from(chunk))
    for (let i = 0; i < 1_500; i++) reader.push(Buffer.from(String(i % 10)))
    reader.push(Buffer.from('\n'))
    const digits = '0123456789'.repeat(52)
    expect(ends).toEqual([
      { head: `ab${'c'.repeat(510)}`, tail: undefined },
      { head: `ab${'c'.repeat(510)}`, tail: `${'c'.repeat(509)}def` },
      { head: digits.slice(0, 512), tail: undefined },
      { head: digits.slice(0, 512), tail: digits.slice(-512) },
    ])
  })
})
