import { describe, expect, it } from 'vitest'
import { matchesGlob, parseGlob } from './gitignore-glob.ts'
import { matchesPattern, parseIgnoreFile } from './gitignore-pattern.ts'

/** Whether the last line that speaks of `path` (a folder when it ends in `/`) leaves it out. */
function ignores(text: string, path: string): boolean | undefined {
  const directory = path.endsWith('/')
  const parts = path.replace(/\/$/, '').split('/')
  return parseIgnoreFile(text).findLast((pattern) => matchesPattern(pattern, parts, 0, directory))?.negated === false
}

/** Milliseconds of 20 runs, the best of five. */
function time(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    const begun = performance.now()
    for (let j = 0; j < 20; j++) run()
    best = Math.min(best, performance.now() - begun)
  }
  return best
}

describe('parseIgnoreFile() and matchesPattern()', () => {
  it.each([
    ['*.log', 'a.log'],
    ['*.log', 'x/y/a.log'],
    ['/a', 'a'],
    ['a/b', 'a/b'],
    ['a/', 'a/'],
    ['a/', 'x/a/'],
    ['**/a', 'x/y/a'],
    ['**/a', 'a'],
    ['a/**', 'a/b'],
    ['a/**', 'a/b/c'],
    ['a/**/b', 'a/b'],
    ['a/**/b', 'a/x/y/b'],
    ['**/a/**', 'x/a/y'],
    ['a?c', 'abc'],
    ['a[b-d]c', 'acc'],
    ['a[!b]c', 'axc'],
    ['a[^b]c', 'axc'],
    ['[[:digit:]]x', '7x'],
    ['[]x]', ']'],
    ['[a\\]]', ']'],
    ['\\#a', '#a'],
    ['\\!a', '!a'],
    ['a\\ ', 'a '],
    ['a  ', 'a'],
    ['a\\*', 'a*'],
    ['*', '.x'],
    ['a**b', 'axxb'],
    ['x/a**b', 'x/acb'],
    ['\ufeffa', 'a'],
    ['a\r\n', 'a'],
    ['!a\na', 'a'],
    ['é?', 'é日'],
    ['a?', 'a😀'],
    ['**', 'x'],
    ['a/*/c', 'a/b/c'],
    ['[a-]', '-'],
    ['[--0]', '.'],
  ])('the lines %j leave out %s', (text, path) => {
    expect(ignores(text, path)).toBe(true)
  })
  it.each([
    ['#a', '#a'],
    ['', 'a'],
    ['/', 'a'],
    ['/a', 'x/a'],
    ['a/b', 'x/a/b'],
    ['a/', 'a'],
    ['a/**', 'a/'],
    ['*.log', 'a.log.txt'],
    ['a*c', 'a/c'],
    ['a/*', 'a/b/c'],
    ['a?c', 'a/c'],
    ['a[!b]c', 'a/c'],
    ['[z-a]', 'b'],
    ['[a', '[a'],
    ['a\\', 'a\\'],
    ['a\n!a', 'a'],
    ['A', 'a'],
    ['[[:nope:]]', 'n'],
    ['x/a**b', 'x/a/b'],
    ['a/**/b', 'a/xb'],
    ['**/a/b', 'a/x/b'],
  ])('the lines %j do not leave out %s', (text, path) => {
    expect(ignores(text, path)).toBe(false)
  })

  it('matchesGlob() and matchesPattern() stay linear on lines made to be slow', { retry: 3 }, () => {
    const glob = parseGlob(`${'*a'.repeat(20)}*b`) ?? ''
    expect(time(() => matchesGlob(glob, 'a'.repeat(8_000))) / time(() => matchesGlob(glob, 'a'.repeat(1_000)))).toBeLessThan(24)
    const [pattern] = parseIgnoreFile(`/${'**/a/'.repeat(20)}b`)
    if (pattern === undefined) throw new Error('no pattern')
    const [short, long] = [1_000, 8_000].map((length) => Array.from({ length }, () => 'a'))
    expect(
      time(() => matchesPattern(pattern, long ?? [], 0, false)) / time(() => matchesPattern(pattern, short ?? [], 0, false)),
    ).toBeLessThan(24)
  })
})
