import { describe, expect, it } from 'vitest'
import { notFound } from '../errors.ts'
import { expandUri, parseValues, uriHint, variablesOf } from './template-values.ts'

describe('expandUri()', () => {
  it.each([
    ['a:b', {}, 'a:b'],
    ['a:b', { x: '1' }, 'a:b'],
    ['a:{x}/{y}', { x: '1 2', y: '3' }, 'a:1%202/3'],
    ['a:{x}{?q}', { x: '1' }, 'a:1'],
    ['a:{x}', {}, 'a:{x}'],
    ['a:{', {}, 'a:{'],
  ])('%s with %o is %s', (text, values, uri) => {
    expect(expandUri(text, values)).toBe(uri)
  })

  it.each([
    ['a:{x}/{y}', { z: '1' }, 'The template a:{x}/{y} has no variable z; it has x, y'],
    ['a:{x', { x: '1' }, 'Template `a:{x` is refused at offset 2 (unclosed): close the expression with `}`'],
  ])('refuses %s with %o', (text, values, message) => {
    expect(() => expandUri(text, values)).toThrow(message)
  })
})

describe('uriHint()', () => {
  it.each([
    ['a:{x}{?y}', 'Not found: a:{x}{?y}; it is a template, so give its variables: --var x=... --var y=...'],
    ['b.md', expect.stringMatching(/^Not found: b\.md; a URI begins with a scheme/)],
    ['a:b', notFound('a:b').message],
    ['a:{b c}', notFound('a:{b c}').message],
  ])('says of %s %s', (uri, message) => {
    expect(uriHint(uri, notFound(uri))).toMatchObject({ message })
  })
})

describe('variablesOf()', () => {
  it.each([
    ['a:{x}/{+y}{?z*}', ['x', 'y', 'z']],
    ['a:b', undefined],
    ['a:{', undefined],
  ])('finds in %s %o', (text, names) => {
    expect(variablesOf(text)).toEqual(names)
  })
})

describe('parseValues()', () => {
  it('takes what follows the first = for the value, and the last of a name', () => {
    expect(parseValues(['a=1=2', 'b=', 'a=3'])).toEqual({ a: '3', b: '' })
  })

  it.each(['a', '=1', ''])('refuses %o', (text) => {
    expect(() => parseValues([text])).toThrow('--var takes name=value')
  })
})
