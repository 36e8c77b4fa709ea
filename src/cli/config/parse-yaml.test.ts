import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Mistakes } from './mistake.ts'
import { parseYaml } from './parse-yaml.ts'

/** What is wrong with a text, as `line:column message`. */
function mistakes(text: string): readonly string[] {
  try {
    parseYaml(text)
    return []
  } catch (error) {
    if (!(error instanceof Mistakes)) throw error
    return error.all.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`)
  }
}

describe('parseYaml()', () => {
  it('takes YAML 1.2, in which yes and no are text, and JSON', () => {
    const { value } = parseYaml(
      'a: yes\nb: no\nc: on\nd: true\ne: null\nf: 0x10\ng: 012\nh: [1.5, "2", ~]\ni: 12:30\nj: 2001-12-14',
    )
    const all = { a: 'yes', b: 'no', c: 'on', d: true, e: null, f: 16, g: 12, h: [1.5, '2', null], i: '12:30', j: '2001-12-14' }
    expect(value).toEqual(all)
    expect(parseYaml('{"a": {"b": [1, "x\\u0041"]}}').value).toEqual({ a: { b: [1, 'xA'] } })
  })

  it('knows where each value and each key stands, and of what is not there what it would be part of', () => {
    const { placeOf, keyPlaceOf } = parseYaml('a:\n  - x\n  - b: 1\n    "c.d": 2\n')
    expect(placeOf(['a', 0])).toEqual({ line: 2, column: 5 })
    expect(placeOf(['a', 1, 'b'])).toEqual({ line: 3, column: 8 })
    expect([placeOf(['a', 1, 'c.d']), keyPlaceOf(['a', 1, 'c.d'])]).toEqual([
      { line: 4, column: 12 },
      { line: 4, column: 5 },
    ])
    expect(placeOf(['a', 1, 'e', 7])).toEqual({ line: 3, column: 5 })
  })

  it('follows aliases, and puts the parts of one where they are written', () => {
    const { value, placeOf } = parseYaml('a: &x { b: 1 }\nc: *x\n')
    expect(value).toEqual({ a: { b: 1 }, c: { b: 1 } })
    expect(placeOf(['c', 'b'])).toEqual({ line: 1, column: 12 })
  })

  it.each([
    ['', '1:1 is empty'],
    ['# nothing\n---\n', '1:1 is empty'],
    ['a: 1\n---\nb: 2\n', '2:1 is one document, and a second begins here'],
    ['a: 1\na: 2\n', '2:1 is there twice'],
    ['{"a": 1, "b": {"c": 1, "c": 2}}', '1:24 is there twice'],
    ['a:\n  __proto__: { b: 1 }\n', '2:3 there is no such key'],
    ['1: a\n', '1:1 has a key that is no text: put it in quotes'],
    ['? [a]\n: b\n', '1:3 has a key that is no text: put it in quotes'],
    ['a: !!js/function "x"\n', '1:4 is no YAML: Unresolved tag: tag:yaml.org,2002:js/function'],
    ['a: !!str 1\n', '1:10 has a tag, tag:yaml.org,2002:str: leave it out'],
    ['a: !!binary aGk=\n', '1:13 has a tag, tag:yaml.org,2002:binary: leave it out'],
    ['a: *b\n', '1:4 is an alias of *b, which is not there before it'],
    ['a: &b [*b]\n', '1:8 is an alias of *b, which it is part of'],
    ['a: "x\n', '2:1 is no YAML: Missing closing "quote'],
    ['a: [1, 2\n', '2:1 is no YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['a: b: c\n', '1:4 is no YAML: Nested mappings are not allowed in compact mappings'],
    ['\ta: 1\n', '1:1 is no YAML: Tabs are not allowed as indentation'],
  ])('says of %j that it %s', (text, message) => {
    expect(mistakes(text)).toEqual([message])
  })

  it('merges nothing, which YAML 1.2 has not', () => {
    expect(parseYaml('a: &b { c: 1 }\nd: { <<: *b }\n').value).toEqual({ a: { c: 1 }, d: { '<<': { c: 1 } } })
  })

  it('never has a prototype that came from the text', () => {
    const { value } = parseYaml('{"constructor": {"prototype": 1}, "toString": 2, "hasOwnProperty": 3}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { prototype?: unknown }).prototype).toBeUndefined()
  })

  it.each([
    ['lists in lists', '['.repeat(1_000_000), '1:101 is nested too deep'],
    ['maps in maps', '{a: '.repeat(250_000), 'is nested too deep'],
    ['lists in lists without brackets', `${'- '.repeat(500_000)}x`, 'is nested too deep'],
    ['keys of keys', `${'? '.repeat(500_000)}x`, 'is nested too deep'],
    ['many keys', Array.from({ length: 80_000 }, (_, i) => `k${i}: 1`).join('\n'), 'has more than 100000 parts'],
    ['many documents', '---\n'.repeat(250_000), 'has more than 100000 parts'],
    ['many aliases', `- &a x\n${'- *a\n'.repeat(200_000)}`, 'has more than 100000 parts'],
    [
      'a billion laughs',
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join()}]`),
      ].join('\n'),
      'holds more than 50000 values',
    ],
  ])('gives up on %s', (_what, text, message) => {
    const [mistake, ...others] = mistakes(text)
    expect([mistake?.endsWith(message), others]).toEqual([true, []])
  })

  it('takes any JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, noUnicodeString: false }), (json) => {
        const wanted: unknown = JSON.parse(json)
        const found = mistakes(json)
        if (found.length === 0) expect(parseYaml(json).value).toEqual(wanted)
        else expect(found.every((message) => /there is no such key$|^1:\d+ is empty$/.test(message))).toBe(true)
      }),
    )
  })

  it('neither crashes nor hangs on any text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'a',
        ': ',
        '- ',
        '? ',
        '\n',
        '\n  ',
        '\t',
        '[',
        ']',
        '{',
        '}',
        ',',
        '&a ',
        '*a',
        '!t ',
        '!!map ',
        '|\n',
        '>-\n',
        '"',
        "'",
        '#',
        '---\n',
        '...\n',
        '%YAML 1.1\n',
        '<<: ',
        '~',
        '.inf',
        '\uFEFF',
        '\0',
        '\\',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(mistakes(pieces.join('')).every((message) => /^\d+:\d+ ./.test(message))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})
