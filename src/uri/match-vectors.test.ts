import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { createTemplateTable, expandTemplate, matchTemplate, parseTemplate, templateVariables } from './index.ts'

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../../test/vectors/match/${file}`, import.meta.url), 'utf8')) as T
}

interface Details {
  readonly reason: string
  readonly offset: number
  readonly other?: string
}

function refusal(run: () => unknown): Details | undefined {
  try {
    run()
  } catch (error) {
    if (ShelfError.is(error, 'invalid-template')) return error.details
    throw error
  }
  return undefined
}

const cases = read<{ template: string; uri: string; expect: object | null; note: string }[]>('cases.json')

describe(`matchTemplate() gives what the ${cases.length} cases say`, () => {
  for (const { template, uri, expect: values, note } of cases) {
    it(`${template} on ${JSON.stringify(uri)}: ${note}`, () => {
      expect(matchTemplate(template, uri) ?? null).toEqual(values)
      const table = createTemplateTable<number>()
      table.add(template, 7)
      const found = table.match(uri)
      expect(found ?? null).toEqual(values === null ? null : { value: 7, variables: values, template })
    })
  }
})

interface Refused {
  readonly template: string
  readonly reason: string
  readonly offset: number
  readonly stage: 'parse' | 'match' | 'table'
  readonly note: string
  readonly after?: readonly string[]
}
const refused = read<readonly Refused[]>('refused.json')

describe('parseTemplate() refuses what is not RFC 6570', () => {
  for (const { template, reason, offset, note } of refused.filter((row) => row.stage === 'parse')) {
    it(`${JSON.stringify(template)}: ${note}`, () => {
      expect(refusal(() => parseTemplate(template))).toEqual({ template, reason, offset })
    })
  }
})

describe('matchTemplate() and add() refuse what cannot be matched for sure', () => {
  for (const { template, reason, offset, note } of refused.filter((row) => row.stage === 'match')) {
    it(`${template.slice(0, 40)}: ${note}`, () => {
      expect(parseTemplate(template).text).toBe(template)
      expect(refusal(() => matchTemplate(template, 'x://a'))).toEqual({ template, reason, offset })
      expect(refusal(() => createTemplateTable().add(template, 1))).toEqual({ template, reason, offset })
      expect(templateVariables(template).every((variable) => variable.exceptions.length === 0)).toBe(true)
    })
  }
})

describe('add() refuses what conflicts, in both orders', () => {
  for (const { template, reason, offset, note, after = [] } of refused.filter((row) => row.stage === 'table')) {
    it(`${after.join(' ')} then ${template}: ${note}`, () => {
      const other = after[0] as string
      const table = createTemplateTable<number>()
      table.add(other, 1)
      expect(refusal(() => table.add(template, 2))).toEqual({ template, reason, offset, other })
      expect(table.size).toBe(1)
      const reverse = createTemplateTable<number>()
      reverse.add(template, 1)
      expect(refusal(() => reverse.add(other, 2))).toEqual({ template: other, reason, offset, other: template })
    })
  }
})

interface Precedence {
  readonly note: string
  readonly templates: readonly string[]
  readonly rows: readonly { readonly uri: string; readonly template: string | null }[]
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length <= 1) yield items
  for (let i = 0; i < items.length; i++) {
    for (const rest of permutations(items.toSpliced(i, 1))) yield [items[i] as T, ...rest]
  }
}

function* shuffles<T>(items: readonly T[], count: number): Generator<readonly T[]> {
  let seed = 20_260_728
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let n = 0; n < count; n++) {
    const order = [...items]
    for (let i = order.length - 1; i > 0; i--) {
      const j = random(i + 1)
      const swapped = order[i] as T
      order[i] = order[j] as T
      order[j] = swapped
    }
    yield order
  }
}

describe('createTemplateTable() answers the same in every order of registration', () => {
  for (const { note, templates, rows } of read<readonly Precedence[]>('precedence.json')) {
    it(note, () => {
      for (const order of templates.length <= 5 ? permutations(templates) : shuffles(templates, 200)) {
        const table = createTemplateTable<string>()
        for (const template of order) table.add(template, `value of ${template}`)
        for (const { uri, template } of rows) {
          const found = table.match(uri)
          expect([uri, found?.template ?? null, order]).toEqual([uri, template, order])
          if (template !== null) expect(found?.value).toBe(`value of ${template}`)
        }
      }
    })
  }
})

interface RoundTrip {
  readonly template: string
  readonly values: Readonly<Record<string, string>>
  readonly uri: string
  readonly reversible: boolean
  readonly reason?: string
  readonly match?: object | null
}

describe('expandTemplate() with reversible keeps the round-trip law', () => {
  for (const { template, values, uri, reversible, reason, match } of read<readonly RoundTrip[]>('roundtrip.json')) {
    it(`${template} with ${JSON.stringify(values)}`, () => {
      expect(expandTemplate(template, values)).toBe(uri)
      if (reversible) {
        expect(expandTemplate(template, values, { reversible: true })).toBe(uri)
        expect(matchTemplate(template, uri)).toEqual(values)
        return
      }
      expect(matchTemplate(template, uri) ?? null).toEqual(match)
      let thrown: unknown
      try {
        expandTemplate(template, values, { reversible: true })
      } catch (error) {
        thrown = error
      }
      expect(ShelfError.is(thrown, 'invalid-values') && thrown.details.reason).toBe(reason)
      expect(templateVariables(template).some((each) => each.exceptions.some((code) => code === reason))).toBe(true)
    })
  }
})
