import { describe, expectTypeOf, test } from 'vitest'
import type { Agree } from './agree.ts'

describe('Agree', () => {
  test('overlooks readonly, undefined beside ?, inheritance and index signatures beside names', () => {
    interface Base {
      a?: string
    }
    interface Derived extends Base {
      list: { b: number }[]
      [key: string]: unknown
    }
    expectTypeOf<
      Agree<Derived, { readonly a?: string | undefined; readonly list: readonly { readonly b: number }[] }>
    >().toEqualTypeOf<true>()
    expectTypeOf<Agree<{ _meta?: Record<string, unknown> }, { _meta?: { [key: string]: unknown } }>>().toEqualTypeOf<true>()
  })

  test('tells apart a missing member, another type, another name, an optional one, one literal more', () => {
    expectTypeOf<Agree<{ a: string; b?: string }, { a: string }>>().toEqualTypeOf<false>()
    expectTypeOf<Agree<{ a: string }, { a: number }>>().toEqualTypeOf<false>()
    expectTypeOf<Agree<{ mimeType: string }, { mime_type: string }>>().toEqualTypeOf<false>()
    expectTypeOf<Agree<{ a: string }, { a?: string }>>().toEqualTypeOf<false>()
    expectTypeOf<Agree<{ a: 'x' | 'y' }, { a: 'x' }>>().toEqualTypeOf<false>()
    expectTypeOf<Agree<{ a: { b: string }[] }, { a: { b: string; c?: string }[] }>>().toEqualTypeOf<false>()
    expectTypeOf<Agree<{ _meta?: Record<string, unknown> }, { _meta?: string }>>().toEqualTypeOf<false>()
  })
})
