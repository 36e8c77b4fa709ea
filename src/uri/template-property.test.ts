import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { compiledForm } from './template-match.ts'
import { compareTemplates } from './template-order.ts'
import { createTemplateTable, expandTemplate, matchTemplate, normalUri, parseTemplate, templateVariables } from './index.ts'
import type { CompiledTemplate } from './compiled-template.ts'

const RUNS = 1200

/** One run of template text; `#` stands for a fresh variable name. */
const literal = fc.constantFrom('a', 'b', '-', '.', 'x', 'a-', '.b', '--')
const inner = fc.oneof(
  { weight: 3, arbitrary: literal },
  { weight: 4, arbitrary: fc.constantFrom('{#}', '{#}', '{+#}', '{.#}', '{.#,#}', '{#,#}', '{#*}', '{;#}') },
)
const segment = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'x', '-', '') },
  { weight: 2, arbitrary: fc.constantFrom('{#}', '{+#}') },
  { weight: 3, arbitrary: fc.array(inner, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')) },
)
const joint = fc.constantFrom('/', '/', '/', '{/#}/', '{/#*}/', '{/#,#}/', '{/#,#*}/')
const end = fc.constantFrom('', '', '', '{/#}', '{/#*}', '{/#,#}')
const query = fc.constantFrom(
  '',
  '',
  '',
  '{?#}',
  '{?#*,#}',
  '?f=1{&#}',
  '?f=2{&#*}',
  '?q={#}',
  '?q={#}-{#}&f=1',
  '?{#,#}',
  '?u={+#}',
  '?a={#}&u=a{+#}',
)
const fragment = fc.constantFrom('', '', '', '', '{##}', '#{#}', '#a-{#}', '#top')
const scheme = fc.constantFrom('s', 's', 's', 'https')

function named(text: string): string {
  let count = 0
  // `{##}` is the fragment operator and a name; a written fragment is followed by `{` or a letter.
  return text.replace(/\{([^}]*)\}/g, (_, body: string) => {
    const operator = /^(##|#\*|#,)/.test(body) && body.startsWith('##') ? '#' : ''
    const rest = operator === '' ? body : body.slice(1)
    return `{${operator}${rest.replaceAll('#', () => `v${count++}`)}}`
  })
}

const headText = fc
  .tuple(scheme, segment, fc.array(fc.tuple(joint, segment), { maxLength: 4 }), end)
  .map(([name, first, rest, last]) => `${name}://${first}${rest.flat().join('')}${last}`)

const template = fc
  .tuple(headText, query, fragment)
  .map((parts) => named(parts.join('')))
  .filter((text) => isRegistrable(text))

const headTemplate = headText.map(named).filter((text) => isRegistrable(text))

function isRegistrable(text: string): boolean {
  try {
    compiledForm(parseTemplate(text))
    return true
  } catch (error) {
    if (ShelfError.is(error, 'invalid-template')) return false
    throw error
  }
}

type Values = Record<string, string | readonly string[]>

/** Values for every variable of a template, of its type. */
function valuesOf(text: string, item: fc.Arbitrary<string>): fc.Arbitrary<Values> {
  const record: Record<string, fc.Arbitrary<string | readonly string[]>> = {}
  for (const { name, list } of templateVariables(text))
    record[name] = list ? fc.array(item, { minLength: 1, maxLength: 3 }) : item
  return fc.record(record)
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\u0000', '')),
  fc.constantFrom('a', '-', '.', '..', 'a-b', '%41', '%', '/', '?', '#', ',', ';', 'x.a', '', 'é', '50%25', '-/-'),
)
/** Nothing that a literal of the templates above holds, nor what `{+v}` keeps. */
const farText = fc.string({
  unit: fc.constantFrom('q', 'Z', '7', '_', '~', 'é', '漢', '😀', ' ', '"', '[', '@', '!', '='),
  minLength: 1,
  maxLength: 5,
})

describe('the round-trip law', () => {
  it('expandTemplate() and matchTemplate() give every value back that is far from separators', () => {
    fc.assert(
      fc.property(
        template.chain((text) => fc.tuple(fc.constant(text), valuesOf(text, farText))),
        ([text, values]) => {
          expect(matchTemplate(text, expandTemplate(text, values))).toEqual(values)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('expandTemplate() with reversible gives values back or names a variable and a code that templateVariables() lists', () => {
    fc.assert(
      fc.property(
        template.chain((text) => fc.tuple(fc.constant(text), valuesOf(text, anyText))),
        ([text, values]) => {
          let uri: string
          try {
            uri = expandTemplate(text, values, { reversible: true })
          } catch (error) {
            if (!ShelfError.is(error, 'invalid-values')) throw error
            const { variable, reason } = error.details
            const listed = templateVariables(text).find((each) => each.name === variable)
            expect(listed?.exceptions).toContain(reason)
            return
          }
          expect(matchTemplate(text, uri)).toEqual(values)
        },
      ),
      { numRuns: RUNS * 2 },
    )
  })

  it('expandTemplate() never finds an exception in a template with one capture a segment and no {+} or {#}', () => {
    const plain = fc.constantFrom(
      's://{a}',
      's://{a}/{b}{?c,d*}',
      's://h{/a,b}',
      's://h{/a*}/x{?b}',
      's://v{a}.md{;b}',
      's://h{.a}?k=1{&b}',
      's://x/{a*}?q={b}',
    )
    fc.assert(
      fc.property(
        plain.chain((text) =>
          fc.tuple(
            fc.constant(text),
            valuesOf(
              text,
              anyText.filter((value) => value !== ''),
            ),
          ),
        ),
        ([text, values]) => {
          expect(matchTemplate(text, expandTemplate(text, values, { reversible: true }))).toEqual(values)
        },
      ),
      { numRuns: RUNS },
    )
  })
})

/** Regular expressions for a head, one for each number of labels, most first; captures in order. */
function oracles(text: string): readonly RegExp[] {
  const run = /\{\.([^}]*)\}/.exec(text)
  const labels = run === null ? 0 : (run[1] as string).split(',').length
  return Array.from({ length: labels + 1 }, (_, fewer) => {
    const source = text.replace(/\{[^}]*\}|[^{]/g, (part) => {
      if (part.length === 1) return part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
      if (part.startsWith('{+')) return '(.+)'
      if (part.startsWith('{.')) return '\\.([^/]*)'.repeat(labels - fewer)
      if (!part.startsWith('{/')) return '([^/]+)'
      if (part.includes('*')) return '((?:/[^/]*)*)'
      return part.split(',').reduceRight((inside) => `(?:/([^/]*)${inside})?`, '')
    })
    return new RegExp(`^${source}$`, 's')
  })
}

function byOracle(text: string, uri: string): Values | undefined {
  const names = [...text.matchAll(/v\d+/g)].map(([name]) => name)
  for (const oracle of oracles(text)) {
    const found = oracle.exec(uri)
    if (found === null) continue
    const values: Values = {}
    // Labels left out are the last of the one run, so the names after them move up.
    const missing = names.length - (found.length - 1)
    const run = /\{\.([^}]*)\}/.exec(text)
    const labels = run === null ? [] : (run[1] as string).split(',')
    const absent = labels.slice(labels.length - missing)
    names
      .filter((name) => missing === 0 || !absent.includes(name))
      .forEach((name, i) => {
        const captured = found[i + 1]
        if (captured === undefined) return
        if (!text.includes(`${name}*`)) values[name] = captured
        else if (captured !== '') values[name] = captured.slice(1).split('/')
      })
    return values
  }
  return undefined
}

const shortUri = fc
  .string({ unit: fc.constantFrom('a', 'b', '-', '.', '/', 'x', '/', '-'), maxLength: 12 })
  .map((rest) => `s://${rest}`)

describe('the cut', () => {
  const simple = headTemplate.filter(
    (text) =>
      text.startsWith('s:') &&
      !/\{[^/}]*\*\}|\{[^./}]*,|\{;|\{\/[^}]*,[^}]*\*/.test(text) &&
      (text.match(/\{\./g) ?? []).length <= 1,
  )
  it('matchTemplate() cuts where a greedy regular expression does', () => {
    let hits = 0
    fc.assert(
      fc.property(simple, fc.array(shortUri, { minLength: 20, maxLength: 20 }), (text, uris) => {
        for (const uri of uris) {
          const values = byOracle(text, uri)
          if (values !== undefined) hits++
          expect([text, uri, matchTemplate(text, uri)]).toEqual([text, uri, values])
        }
      }),
      { numRuns: RUNS },
    )
    expect(hits).toBeGreaterThan(1000)
  })
})

/** Texts that a table takes together, in this order. */
function accepted(texts: readonly string[]): readonly string[] {
  const table = createTemplateTable<string>()
  return texts.filter((text) => {
    try {
      table.add(text, text)
      return true
    } catch (error) {
      if (ShelfError.is(error, 'invalid-template')) return false
      throw error
    }
  })
}

function tableOf(texts: readonly string[]): ReturnType<typeof createTemplateTable<string>> {
  const table = createTemplateTable<string>()
  for (const text of texts) table.add(text, text)
  return table
}

function firstInOrder(texts: readonly string[], uri: string): string | null {
  const compiled = texts.map((text) => compiledForm(parseTemplate(text)))
  const fixed = compiled.find((each) => each.kind === 'static' && matchTemplate(each.text, uri) !== undefined)
  if (fixed !== undefined) return fixed.text
  const ranked = compiled
    .filter((each): each is CompiledTemplate => each.kind === 'template')
    .map((each) => ({ compiled: each, ignoreUnknown: false }))
    .toSorted(compareTemplates)
  return ranked.find((each) => matchTemplate(each.compiled.text, uri) !== undefined)?.compiled.text ?? null
}

const tableUri = fc.oneof(
  shortUri,
  template.chain((text) =>
    valuesOf(text, fc.constantFrom('a', 'b', 'x', '-', '1', 'a-b', 'x.a', 'q')).map((values) => expandTemplate(text, values)),
  ),
)

describe('createTemplateTable()', () => {
  const sets = fc.array(template, { minLength: 1, maxLength: 10 }).map(accepted)
  it('answers as a sorted list does, in any order of registration', () => {
    let hits = 0
    fc.assert(
      fc.property(sets, fc.array(tableUri, { minLength: 10, maxLength: 10 }), fc.nat(), (texts, more, seed) => {
        const own = texts.map((text) =>
          expandTemplate(text, Object.fromEntries(templateVariables(text).map(({ name, list }) => [name, list ? ['a'] : 'x']))),
        )
        const table = tableOf(texts)
        const turned = tableOf([...texts.slice(seed % texts.length), ...texts.slice(0, seed % texts.length)].toReversed())
        for (const uri of [...own, ...more]) {
          const wanted = firstInOrder(texts, uri)
          if (wanted !== null) hits++
          expect([uri, table.match(uri)?.template ?? null]).toEqual([uri, wanted])
          expect([uri, turned.match(uri)?.template ?? null]).toEqual([uri, wanted])
        }
      }),
      { numRuns: RUNS / 3 },
    )
    expect(hits).toBeGreaterThan(1000)
  })

  it('forgets what is removed, as if it had never been added', () => {
    fc.assert(
      fc.property(sets, fc.array(tableUri, { minLength: 10, maxLength: 10 }), fc.nat(), (texts, uris, seed) => {
        const gone = texts.filter((_, i) => ((seed >> i) & 1) === 1)
        const kept = texts.filter((text) => !gone.includes(text))
        const table = tableOf(texts)
        for (const text of gone) expect(table.remove(text)).toBe(true)
        for (const text of gone) expect(table.remove(text)).toBe(false)
        expect(table.size).toBe(kept.length)
        const fresh = tableOf(kept)
        for (const uri of uris) expect(table.match(uri)).toEqual(fresh.match(uri))
        for (const text of gone) table.add(text, text)
        const whole = tableOf(texts)
        for (const uri of uris) expect(table.match(uri)).toEqual(whole.match(uri))
      }),
      { numRuns: RUNS / 6 },
    )
  })
})

const wild = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((rest) => `s://${rest}`),
  fc
    .string({
      unit: fc.constantFrom('a', '%', '2', 'f', 'F', '4', '1', '/', '?', '#', '=', '&', ' ', 'é', '\ud800', '{', '\u007f'),
      maxLength: 20,
    })
    .map((rest) => `S:${rest}`),
)

describe('any text', () => {
  it('matchTemplate() and match() never throw for it', () => {
    fc.assert(
      fc.property(template, wild, (text, uri) => {
        matchTemplate(text, uri)
        tableOf([text]).match(uri)
      }),
      { numRuns: RUNS },
    )
  })

  it('normalUri() is idempotent, and matching does not see the difference', () => {
    fc.assert(
      fc.property(template, fc.oneof(wild, tableUri), (text, uri) => {
        const normal = normalUri(uri)
        if (normal === undefined) {
          expect(matchTemplate(text, uri)).toBeUndefined()
          return
        }
        expect(normalUri(normal)).toBe(normal)
        expect(matchTemplate(text, uri)).toEqual(matchTemplate(text, normal))
      }),
      { numRuns: RUNS },
    )
  })

  it('a mount prefix before the scheme changes no values', () => {
    fc.assert(
      fc.property(template, fc.oneof(shortUri, tableUri), (text, uri) => {
        expect(matchTemplate(`outer+inner+${text}`, `outer+inner+${uri}`)).toEqual(matchTemplate(text, uri))
      }),
      { numRuns: RUNS },
    )
  })
})
