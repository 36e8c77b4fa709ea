import { describe, expectTypeOf, it } from 'vitest'
import { createTemplateTable, expandTemplate, matchTemplate, parseTemplate } from '../../src/uri/index.ts'
import type { ExpandValues, TemplateMatch, TemplateValues } from '../../src/uri/index.ts'

describe('TemplateValues', () => {
  it('reads names, kinds and lists off the text', () => {
    expectTypeOf<TemplateValues<'ticket://{id}{?fields*}'>>().toEqualTypeOf<{
      readonly id: string
      readonly fields?: readonly string[]
    }>()
    expectTypeOf<TemplateValues<'x://{a,b*}/{+c}{/d,e*}{.f}{;g}?h=1{&i*}{#j}'>>().toEqualTypeOf<{
      readonly a: string
      readonly b: readonly string[]
      readonly c: string
      readonly d?: string
      readonly e?: readonly string[]
      readonly f?: string
      readonly g?: string
      readonly i?: readonly string[]
      readonly j?: string
    }>()
    expectTypeOf<TemplateValues<'conf://main'>>().toEqualTypeOf<{}>()
  })

  it('requires a name that is present in both kinds', () => {
    expectTypeOf<TemplateValues<'x://{a}{?a,b}'>>().toEqualTypeOf<{ readonly a: string; readonly b?: string }>()
  })

  it('adds nothing for a prefix', () => {
    expectTypeOf<TemplateValues<'x://{h:2}/{h}'>>().toEqualTypeOf<{ readonly h: string }>()
    expectTypeOf<TemplateValues<'x://{h:2}{?h}'>>().toEqualTypeOf<{ readonly h?: string }>()
  })

  it('keeps names as they are written', () => {
    expectTypeOf<TemplateValues<'x://{last.name}{?Stra%C3%9Fe,42}'>>().toEqualTypeOf<{
      readonly 'last.name': string
      readonly 'Stra%C3%9Fe'?: string
      readonly '42'?: string
    }>()
  })

  it('gives a record for a text that is not literal, and distributes over a union', () => {
    type Loose = Readonly<Record<string, string | readonly string[] | undefined>>
    expectTypeOf<TemplateValues<string>>().toEqualTypeOf<Loose>()
    expectTypeOf<TemplateValues<`x://${string}/{a}`>>().toEqualTypeOf<Loose>()
    expectTypeOf<TemplateValues<'x://{a}' | 'x://h{?b*}'>>().toEqualTypeOf<
      { readonly a: string } | { readonly b?: readonly string[] }
    >()
  })
})

describe('matchTemplate()', () => {
  it('infers values from text and from a parsed template', () => {
    const values = matchTemplate('note://{id}{?rev}', 'note://1')
    expectTypeOf(values).toEqualTypeOf<{ readonly id: string; readonly rev?: string } | undefined>()
    const parsed = matchTemplate(parseTemplate('note://{id}{?rev}'), 'note://1')
    expectTypeOf(parsed).toEqualTypeOf<{ readonly id: string; readonly rev?: string } | undefined>()
  })

  it('gives no undefined under a key that is present', () => {
    // @ts-expect-error absent means the key is missing
    const values: TemplateValues<'x://h{?a}'> = { a: undefined }
    expectTypeOf(values).toEqualTypeOf<{ readonly a?: string }>()
  })
})

describe('ExpandValues', () => {
  it('also takes numbers, booleans, and undefined for what is optional', () => {
    const values: ExpandValues<'x://{id}{?n,t*}'> = { id: 7, n: undefined, t: [true, 'a', 1] }
    expandTemplate('x://{id}{?n,t*}', values)
    expandTemplate('x://{id}{?n,t*}', { id: 'a' })
    // @ts-expect-error id is required
    expandTemplate('x://{id}{?n,t*}', { n: 1 })
    // @ts-expect-error t is a list
    expandTemplate('x://{id}{?n,t*}', { id: 1, t: 'a' })
    // @ts-expect-error no such variable
    expandTemplate('x://{id}{?n,t*}', { id: 1, other: 'a' })
  })
})

describe('createTemplateTable()', () => {
  it('carries the type of its values', () => {
    const table = createTemplateTable<number>()
    table.add('x://{a}', 1)
    // @ts-expect-error a number is wanted
    table.add('x://{a}/b', 'one')
    expectTypeOf(table.match('x://1')).toEqualTypeOf<TemplateMatch<number> | undefined>()
  })
})

type Repeat<
  Text extends string,
  N extends number,
  Count extends readonly unknown[] = [],
  Out extends string = '',
> = Count['length'] extends N ? Out : Repeat<Text, N, [...Count, unknown], `${Out}${Text}`>

describe('TemplateValues at length', () => {
  it('holds 300 expressions and 200 names in one', () => {
    expectTypeOf<TemplateValues<`x:/${Repeat<'/{a}', 300>}{?z}`>>().toEqualTypeOf<{ readonly a: string; readonly z?: string }>()
    expectTypeOf<TemplateValues<`x://{?${Repeat<'a,', 199>}z*}`>>().toEqualTypeOf<{
      readonly a?: string
      readonly z?: readonly string[]
    }>()
  })
})
