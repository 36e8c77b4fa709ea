import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { canonicalUri, foldedUri, normalUri, parseUri } from './index.ts'

function fault(text: string): object | undefined {
  try {
    canonicalUri(text)
  } catch (error) {
    if (ShelfError.is(error, 'invalid-uri')) return { reason: error.details.reason, offset: error.details.offset }
    throw error
  }
  return undefined
}

describe('canonicalUri()', () => {
  it.each([undefined, null, 5, {}])('refuses %j, which is no text', (given) => {
    expect(fault(given as string)).toEqual({ reason: 'no-scheme', offset: 0 })
    expect(() => parseUri(given as string)).toThrow('Not a URI at offset 0')
  })

  it('rewrites scheme case, triplets and raw characters, and nothing else', () => {
    expect(canonicalUri('HTTPS://Docs.Example:443/a/../b/./c?x=%3d#%7e')).toBe('https://Docs.Example:443/a/../b/./c?x=%3D#~')
    expect(canonicalUri('note:%61%2d%2E%2f%C3%a9')).toBe('note:a-.%2F%C3%A9')
    expect(canonicalUri('a+b-1.x: "<>\\^|`')).toBe('a+b-1.x:%20%22%3C%3E%5C%5E%7C%60')
    expect(canonicalUri('n://é漢😀')).toBe('n://%C3%A9%E6%BC%A2%F0%9F%98%80')
    expect(canonicalUri("n://!$&'()*+,;=:@[]/?#?#")).toBe("n://!$&'()*+,;=:@[]/?#?#")
    expect(canonicalUri('x:')).toBe('x:')
    expect(canonicalUri(`x:${'é'.repeat(3000)}`)).toBe(`x:${'%C3%A9'.repeat(3000)}`)
  })

  it('throws invalid-uri with reason and offset', () => {
    expect(fault('')).toEqual({ reason: 'no-scheme', offset: 0 })
    expect(fault('users/me')).toEqual({ reason: 'no-scheme', offset: 0 })
    expect(fault('my_app://x')).toEqual({ reason: 'no-scheme', offset: 0 })
    expect(fault('n%65://x')).toEqual({ reason: 'no-scheme', offset: 0 })
    expect(fault('n://a%zz')).toEqual({ reason: 'percent', offset: 5 })
    expect(fault('n://a%4')).toEqual({ reason: 'percent', offset: 5 })
    expect(fault('n://%00')).toEqual({ reason: 'percent', offset: 4 })
    expect(fault('n://a\tb')).toEqual({ reason: 'character', offset: 5 })
    expect(fault('n://\u007f')).toEqual({ reason: 'character', offset: 4 })
    expect(fault('n://{id}')).toEqual({ reason: 'character', offset: 4 })
    expect(fault('n://é😀\udc00')).toEqual({ reason: 'character', offset: 7 })
    expect(fault(`n:${'a'.repeat(8190)}`)).toBeUndefined()
    expect(fault(`n:${'a'.repeat(8191)}`)).toEqual({ reason: 'length', offset: 8192 })
  })
})

describe('normalUri()', () => {
  it('gives undefined where canonicalUri() throws, and does not judge the length', () => {
    expect(normalUri('n://a%zz')).toBeUndefined()
    expect(normalUri('users/me')).toBeUndefined()
    expect(normalUri(`N:${'a'.repeat(10_000)}`)).toBe(`n:${'a'.repeat(10_000)}`)
  })
})

describe('parseUri()', () => {
  it('cuts first at #, then at ?', () => {
    expect(parseUri('F://h/a?b?c#d?e#f')).toEqual({
      text: 'F://h/a?b?c#d?e#f',
      normal: 'f://h/a?b?c#d?e#f',
      scheme: 'f',
      authority: 'h',
      path: '/a',
      query: 'b?c',
      fragment: 'd?e#f',
      segments: ['a'],
    })
  })

  it('tells an empty part from an absent one', () => {
    expect(parseUri('file:///a//b%2fc/')).toEqual({
      text: 'file:///a//b%2fc/',
      normal: 'file:///a//b%2Fc/',
      scheme: 'file',
      authority: '',
      path: '/a//b%2Fc/',
      segments: ['a', '', 'b%2Fc', ''],
    })
    expect(parseUri('urn:isbn:1?#')).toEqual({
      text: 'urn:isbn:1?#',
      normal: 'urn:isbn:1?#',
      scheme: 'urn',
      path: 'isbn:1',
      query: '',
      fragment: '',
    })
    expect(parseUri('git://repo')).toEqual({
      text: 'git://repo',
      normal: 'git://repo',
      scheme: 'git',
      authority: 'repo',
      path: '',
      segments: [],
    })
  })

  it('throws invalid-uri as canonicalUri() does', () => {
    expect(() => parseUri('users/me')).toThrow(ShelfError)
  })
})

describe('foldedUri()', () => {
  it('is the normal form, with the host in lower case where it compares without case', () => {
    expect(foldedUri('HTTPS://Docs.Example:443/A?B#C')).toBe('https://docs.example:443/A?B#C')
    expect(foldedUri('team+HTTP://Docs%2dX.Example')).toBe('team+http://docs-x.example')
    expect(foldedUri('ws://%c3%A9X/Y')).toBe('ws://%C3%A9x/Y')
    expect(foldedUri('file://Docs/A')).toBe('file://Docs/A')
    expect(foldedUri('https:A')).toBe('https:A')
  })

  it('is undefined for what is no URI', () => {
    for (const text of ['', 'docs', 'a://{x}', 'a://%zz', 'a://%00']) expect(foldedUri(text)).toBeUndefined()
  })
})
