import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonc } from './parse-jsonc.ts'
import type { Json } from './parse-jsonc.ts'

/** As `JSON.parse` gives it, for comparing. */
function plainOf(value: Json): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plainOf(item as Json)]))
  return Array.isArray(value) ? value.map((item) => plainOf(item as Json)) : value
}

describe('parseJsonc()', () => {
  it('takes comments and trailing commas, and any line ends', () => {
    const text = '// top\r\n{\r\n  "a": [1, 2,], /* x */ "b": "// no comment",\r\n}\r\n// end'
    expect(plainOf(parseJsonc(text, 'x.json').value)).toEqual({ a: [1, 2], b: '// no comment' })
  })

  it('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(plainOf(parseJsonc(text, 'x.json').value)).toEqual(plainOf(mapOf(JSON.parse(text))))
      }),
    )
  })

  it('keeps __proto__ as a key', () => {
    const { value } = parseJsonc('{"__proto__": {"polluted": true}, "constructor": 1}', 'x.json')
    expect([...(value as ReadonlyMap<string, Json>).keys()]).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('tells which keys come twice', () => {
    const { value, repeated } = parseJsonc('{"a": {"b": 1, "b": 2}}', 'x.json')
    expect(plainOf(value)).toEqual({ a: { b: 2 } })
    expect(repeated).toEqual([['a', 'b']])
  })

  it.each([
    ['', 'x.json:1:1 is no JSON: a value is wanted'],
    ['{\n  "a" 1}', 'x.json:2:7 is no JSON: a colon is wanted'],
    ['{"a": 1 "b": 2}', 'x.json:1:9 is no JSON: a comma is wanted'],
    ['{"a": 1', 'x.json:1:8 is no JSON: a closing brace is wanted'],
    ['{a: 1}', 'x.json:1:2 is no JSON: a character is out of place'],
    ['{}\n{}', 'x.json:2:1 is no JSON: the end of the file is wanted'],
    ['{"token": "s3cret\n"}', 'x.json:1:11 is no JSON: a string has no end on its line'],
    ['hello', 'x.json:1:1 is no JSON: a character is out of place'],
    ['{"a": "\\x"}', 'x.json:1:7 is no JSON: an escape is not valid'],
    ['/* x', 'x.json:1:1 is no JSON: a comment has no end'],
  ])('refuses %j with line and column, and shows nothing of it', (text, message) => {
    expect(() => parseJsonc(text, 'x.json')).toThrow(new RegExp(`^${message.replaceAll(/[.*]/g, '\\$&')}$`))
  })

  it.each(['[', '{"a":'])('refuses %j a million times over', (piece) => {
    expect(() => parseJsonc(piece.repeat(1_000_000), 'x.json')).toThrow('is no JSON: nested deeper than 100 levels')
  })
})

function mapOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(mapOf)
  if (typeof value !== 'object' || value === null) return value as Json
  return new Map(Object.entries(value).map(([key, item]) => [key, mapOf(item)]))
}
