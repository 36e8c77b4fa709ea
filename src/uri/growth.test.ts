import { describe, expect, it } from 'vitest'
import { createTemplateTable, matchTemplate, normalUri } from './index.ts'

/** Text of about `length` characters. */
const fill = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length))

const labels = Array.from({ length: 31 }, (_, i) => `l${i}`).join(',')

/** Each ends in "no match", so that returned items do not measure the garbage collector. */
const inputs: readonly (readonly [name: string, template: string, uri: (length: number) => string])[] = [
  ['slashes', 'x://{+a}/z', (n) => `x://${fill('/', n)}`],
  ['slashes against a path list', 'x://h{/a*}/z', (n) => `x://h${fill('/', n)}`],
  ['dots against labels', 'x://{a}{.b,c}!', (n) => `x://${fill('.', n)}`],
  ['dots against a name and an extension', 'x://{+p}/{a}.{b}!', (n) => `x://a/${fill('.', n)}`],
  ['dashes against three variables', 'x://{a}-{b}-{c}!', (n) => `x://${fill('-', n)}`],
  ['dashes against a longer literal', 'x://{a}--x{b}', (n) => `x://${fill('-', n)}`],
  ['ab against abab', 'x://{a}abababac{b}', (n) => `x://${fill('ab', n)}`],
  ['commas against two places', 'x://{a,b}', (n) => `x://${fill(',', n)}`],
  ['commas against a list, then a bad triplet', 'x://{a*}', (n) => `x://${fill('a,', n)}%FF`],
  ['/x against four lists', 'x://h{/a*}/x{/b*}/x{/c*}/x{/d*}/z', (n) => `x://h${fill('/x', n)}`],
  ['/x against four lists and an anchor that is absent', 'x://h{/a*}/x{/b*}/x{/c*}/y{/d*}', (n) => `x://h${fill('/x', n)}`],
  ['/x against bounded parts', 'x://h{/a,b}/x{/c*}/x{/d,e}/y', (n) => `x://h${fill('/x', n)}`],
  ['-/ against two reserved', 'x://{+a}/-/{+b}/z', (n) => `x://${fill('-/', n)}`],
  ['-/ against two reserved and a pattern', 'x://{+a}/-/{c}-{d}/{+b}', (n) => `x://${fill('-/', n)}`],
  ['32 labels', `x://{n}{.${labels}}!`, (n) => `x://${fill('.a', n)}`],
  ['one parameter many times', 'x://h{?tags*,a}', (n) => `x://h?${fill('tags=a&', n)}b=1`],
  ['unknown parameters', 'x://h?f=1{&a}', (n) => `x://h?a=1&${fill('f=1&', n)}`],
  ['ampersands against a positional query', 'x://h?{a,b}&u={+u}!', (n) => `x://h?1,2&u=${fill('&', n)}`],
  ['semicolons', 'x://h{;v*}', (n) => `x://h${fill(';v=1', n)};w`],
  ['triplets', 'x://{a}/z', (n) => `x://${fill('%C3%A9', n)}`],
  ['a bad last triplet', 'x://{a}', (n) => `x://${fill('%C3%A9', n)}%C3`],
  ['a malformed last triplet', 'x://{a}', (n) => `x://${fill('%C3%A9', n)}%`],
  ['raw text that is encoded', 'x://{a}/z', (n) => `x://${fill('é ', n)}`],
  ['number signs', 'x://{+a}', (n) => `x://a${fill('#', n)}`],
  ['number signs in a pattern', 'x://h#{a}-#{b}!', (n) => `x://h${fill('#', n)}`],
  ['a long scheme', 'x://{a}', (n) => fill('x', n)],
  ['dashes between two lists', 'x://h{/a*}/-{/b*}/{c}-{d}', (n) => `x://h${fill('/-', n)}`],
]

/** Seconds for one run, the least of several batches: noise only adds. */
function cost(run: () => void, batch: number): number {
  let least = Infinity
  for (let i = 0; i < 5; i++) {
    const start = performance.now()
    for (let j = 0; j < batch; j++) run()
    least = Math.min(least, (performance.now() - start) / batch)
  }
  return least
}

/** A flat copy, made of its own characters, so that joining is not measured. */
const flat = (text: string): string => Array.from({ length: text.length }, (_, i) => text.charAt(i)).join('')

/** The least ratio of a few tries: a machine that is busy only adds. */
function leastRatio(measure: () => readonly [small: number, large: number]): number {
  let least = Infinity
  for (let tries = 0; tries < 5 && least >= 12; tries++) {
    const [small, large] = measure()
    least = Math.min(least, large / small)
  }
  return least
}

/** Eight times as much text, twice: 2,000, 16,000 and 128,000 characters. */
function expectLinear(make: (length: number) => string, run: (text: string) => unknown): void {
  const [small, middle, large] = [2_000, 16_000, 128_000].map((length) => flat(make(length))) as [string, string, string]
  for (let i = 0; i < 100; i++) run(small)
  const of = (text: string, batch: number): number => cost(() => run(text), batch)
  expect(leastRatio(() => [of(small, 32), of(middle, 4)])).toBeLessThan(12)
  expect(leastRatio(() => [of(middle, 4), of(large, 1)])).toBeLessThan(12)
}

// A quadratic step shows as a ratio of 64 every time; a busy machine does not, so a test may be tried again.
describe('eight times the length costs less than twelve times as much', { retry: 3 }, () => {
  for (const [name, template, uri] of inputs) {
    it(`matchTemplate() on ${name}`, () => {
      const table = createTemplateTable<number>()
      table.add(template, 1)
      expect(table.match(uri(2_000))).toBeUndefined()
      expect(matchTemplate(template, uri(2_000))).toBeUndefined()
      expectLinear(uri, (text) => matchTemplate(template, text))
    })
  }

  it('normalUri() on text that is all encoded', () => {
    expectLinear(
      (length) => `x:${fill('é漢 %c3%a9', length)}`,
      (text) => normalUri(text),
    )
  })

  it('match() on one fixed parameter many times', () => {
    const table = createTemplateTable<number>()
    for (let i = 0; i < 200; i++) table.add(`x://{a}?kind=k${i}{&b}`, i)
    expect(table.match('x://h?kind=k1&kind=k1')).toBeUndefined()
    expectLinear(
      (length) => `x://h?${fill('kind=k1&', length)}b=1`,
      (text) => table.match(text),
    )
  })

  it('createTemplateTable() answers in the same time among one template and thousands', () => {
    const tables = [1, 2_000].map((count) => {
      const table = createTemplateTable<number>()
      for (let i = 0; i < count; i++) {
        table.add(`x://report-${i}/{a}`, i)
        table.add(`x://all/report-${i}-{b}.pdf`, i)
        table.add(`x://{+p}/kind${i}`, i)
        table.add(`x://q/{c}?kind=k${i}{&d}`, i)
      }
      return table
    })
    const uris = ['x://report-0/1', 'x://all/report-0-7.pdf', 'x://a/b/c/kind0', 'x://q/1?kind=k0', 'x://none/of/them']
    const measure = (table: (typeof tables)[number] | undefined): number =>
      cost(() => {
        for (const uri of uris) table?.match(uri)
      }, 500)
    expect(leastRatio(() => [measure(tables[0]), measure(tables[1])])).toBeLessThan(12)
  })
})
