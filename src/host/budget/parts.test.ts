import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import { outlineOf, partsOf } from './parts.ts'
import { sectionsOf } from './sections.ts'

const kinds = Object.keys(KINDS) as Kind[]
const titles = (text: string, kind: Kind) => sectionsOf(text, kind).map(({ level, title }) => `${level} ${title}`)

describe('sectionsOf()', () => {
  it('finds headings of Markdown, and none in a block of code', () => {
    expect(titles('# One\n\ntext\n\n## Two ##\r\n\n```sh\n# no heading\n```\n#no heading\n### Three\n', 'markdown')).toEqual([
      '1 One',
      '2 Two',
      '3 Three',
    ])
  })

  it.each<[string, string, readonly string[]]>([
    [
      'TypeScript',
      'import x\n\nexport async function go() {\n}\nexport class A {\n  static of() {}\n}\n',
      ['1 export async function go() {', '1 export class A {'],
    ],
    ['Python', 'class A:\n    def run(self):\n        pass\n', ['1 class A:', '2 def run(self):']],
    [
      'Rust',
      'pub(crate) fn go() {}\nimpl A {\n    pub fn run() {}\n}\n',
      ['1 pub(crate) fn go() {}', '1 impl A {', '2 pub fn run() {}'],
    ],
    ['SQL', 'CREATE TABLE a (id int);\nselect 1;\n', ['1 CREATE TABLE a (id int);']],
  ])('finds what %s declares', (_language, text, found) => {
    expect(titles(text, 'code')).toEqual(found)
  })

  it('finds keys, tables of keys and headings of HTML', () => {
    expect(titles('name: a\nrun:\n  deep: b\n[tool.x]\nvalue = 1\n', 'configuration')).toEqual([
      '1 name',
      '1 run',
      '2 deep',
      '1 [tool.x]',
      '1 value',
    ])
    expect(titles('{\n  "one": 1,\n  "two": {\n    "three": 3\n', 'json')).toEqual(['2 one', '2 two'])
    expect(titles('<p>x</p>\n<h2 class="a">A <b>b</b></h2>\n<h1></h1>\n', 'xml')).toEqual(['2 A b'])
  })

  it('takes time in proportion to the length of lines that are nearly headings', () => {
    const time = (length: number) => {
      const text = `#${' '.repeat(length)}x\u2028x\n`.repeat(20)
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < 3; i++) {
        const begun = performance.now()
        sectionsOf(text, 'markdown')
        best = Math.min(best, performance.now() - begun)
      }
      return best
    }
    time(40)
    expect(time(360) / Math.max(time(40), 1)).toBeLessThan(32)
  })

  it('leaves out of a heading what closes it, and nothing of a name', () => {
    const text = '# Closed ##\n## C#\n### #\n# F # #\n#\n#none\n'
    expect(titles(text, 'markdown')).toEqual(['1 Closed', '2 C#', '3 #', '1 F #'])
  })

  it('takes time in proportion to a text that looks like headings all over', () => {
    const time = (kind: Kind, line: string, lines: number) => {
      const text = line.repeat(lines)
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < 3; i++) {
        const begun = performance.now()
        sectionsOf(text, kind)
        best = Math.min(best, performance.now() - begun)
      }
      return best
    }
    for (const [kind, line] of [
      ['markdown', '# '],
      ['markdown', `# ${' #'.repeat(150)}\n`],
      ['xml', '<h1 '],
      ['xml', `<h1>${'<'.repeat(300)}\n`],
      ['code', 'export '],
      ['code', `${'export '.repeat(50)}\n`],
      ['configuration', 'a'],
      ['configuration', `${'a.'.repeat(150)}\n`],
    ] as const) {
      time(kind, line, 100)
      expect(time(kind, line, 16_000) / Math.max(time(kind, line, 2_000), 1), `${kind} ${line.slice(0, 20)}`).toBeLessThan(32)
    }
  })
})

describe('partsOf()', () => {
  it.each([{ longest: 0 }, { longest: -5 }, { longest: Number.NaN }, { longest: 10.5 }, { shortest: -1 }])(
    'refuses %j',
    (options) => {
      expect(() => partsOf('one two three', 'text', options)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
    },
  )

  it('cuts at headings, and keeps short sections together', () => {
    const text = `# Guide\n\nshort\n\n## Install\n\n${'words '.repeat(60)}\n\n## Use\n\n${'more '.repeat(80)}\n`
    expect(partsOf(text, 'markdown', { longest: 600 }).map(({ title, text: part }) => [title, part.length])).toEqual([
      ['Guide', 390],
      ['Use', 409],
    ])
  })

  it('cuts what is too long between paragraphs, lines and words', () => {
    const cut = (text: string) => partsOf(text, 'text', { longest: 20 }).map((part) => part.text)
    expect(cut('one two three.\n\nfour five six')).toEqual(['one two three.\n\n', 'four five six'])
    expect(cut('one two three\nfour five six')).toEqual(['one two three\n', 'four five six'])
    expect(cut('one two three four five six')).toEqual(['one two three four ', 'five six'])
    expect(cut('x'.repeat(45))).toEqual(['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(5)])
  })

  it('gives all of a text, in pieces that are not too long, and cuts no character', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\n\n', '# h\n', 'fn x()\n', '𝒳', 'é', 'key: 1\n', '```\n', '<h1>x</h1>', '\r\n'),
      maxLength: 400,
    })
    fc.assert(
      fc.property(texts, fc.constantFrom(...kinds), fc.integer({ min: 1, max: 60 }), (text, kind, longest) => {
        const parts = partsOf(text, kind, { longest })
        expect(parts.map((part) => part.text).join('')).toBe(text)
        let at = 0
        for (const part of parts) {
          expect([part.start, part.end, text.slice(part.start, part.end)]).toEqual([at, at + part.text.length, part.text])
          at = part.end
          expect(part.text.length).toBeGreaterThan(0)
          expect(part.text.length).toBeLessThanOrEqual(Math.max(longest, 2))
          expect(part.text.isWellFormed()).toBe(true)
        }
      }),
    )
  })
})

describe('outlineOf()', () => {
  it('indents by level from the highest one on, and tells the columns of a table', () => {
    expect(outlineOf('## A\n\n### B\n\n## C\n', 'markdown')).toBe('A\n  B\nC\n')
    expect(outlineOf('id,name\r\n1,a\n2,b\n', 'table')).toBe('id,name\n(2 rows)\n')
    expect([outlineOf('', 'table'), outlineOf('x', 'log'), outlineOf('x', 'image')]).toEqual(['', '', ''])
  })
})
