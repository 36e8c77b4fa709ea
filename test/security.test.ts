import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The rows of the tables of docs/security.md: what a row is about, and the tests that it names. */
const rows = read('docs/security.md')
  .split('\n')
  .flatMap((line) => {
    const [, id = '', ...cells] = line.split('|').map((cell) => cell.trim())
    const tests = cells.at(-2) ?? ''
    return /^[CHR]\d+$/.test(id)
      ? [{ id, text: cells.slice(0, -2).join(' '), tests: tests === '' ? [] : tests.split('<br>') }]
      : []
  })

/** The source of each test of a file that always runs, and of what stands before the first. */
function testsIn(path: string): readonly string[] {
  return read(path)
    .split(/^\s*(?=(?:describe|it)[.(])/m)
    .filter((call) => !/^(?:describe|it)\.(?:skip|only|todo)\(/.test(call))
}

const range = (letter: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${letter}${from + i}`)

describe('docs/security.md', () => {
  it('has a row for each control and fault of what there is', () => {
    const controls = [...range('C', 1, 16), ...range('C', 20, 37), 'H5', 'H6', 'H7', 'H9', 'H10']
    const faults = [...range('R', 1, 27), ...range('R', 32, 40)]
    expect(rows.map(({ id }) => id)).toEqual([...controls, ...faults])
  })

  it.each(rows)('$id says what it is about, and names tests that there are', ({ text, tests }) => {
    expect(text.length).toBeGreaterThan(20)
    expect(tests).not.toEqual([])
    for (const test of tests) {
      const [, path = '', title = ''] = /^`([\w./-]+\.test\.ts)`: (.{5,})$/.exec(test) ?? []
      expect(path, test).not.toBe('')
      expect(
        testsIn(path).some((source) => source.includes(title)),
        test,
      ).toBe(true)
    }
  })
})
