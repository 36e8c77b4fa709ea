import { describe, expect, expectTypeOf, it } from 'vitest'
import { createLibrary, notFound } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { call, failure, text } from './reading.ts'

describe('createLibrary()', () => {
  it('refuses a name that cannot stand in a qualified URI', async () => {
    expect(await failure(() => createLibrary({ name: 'My Docs' }))).toMatchObject({ code: 'invalid-option' })
    // Callers without types: a pattern would take the missing name for the word "undefined".
    const nameless = {} as { name: string }
    expect(await failure(() => createLibrary(nameless))).toMatchObject({ code: 'invalid-option', details: { option: 'name' } })
  })

  it('gives the template the variables of its literal, by type', () => {
    createLibrary({ name: 'acme' }).template('ticket://{id}{?fields*}', ({ id, fields = [] }) => {
      expectTypeOf(id).toEqualTypeOf<string>()
      expectTypeOf(fields).toEqualTypeOf<readonly string[]>()
      return id
    })
  })
})

describe('Library.read()', () => {
  it('turns what a handler returns into contents', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('a:text', () => 'plain')
      .resource('a:bytes', { mimeType: 'image/png' }, () => Uint8Array.of(1, 2))
      .resource('a:json', async () => ({ ok: true }))
      .resource('a:null', () => null)
      .resource('a:array', () => [1, 2])
      .resource('a:empty', () => [])
      .resource('a:contents', () => [{ uri: 'a:contents', mimeType: 'text/x', text: 'own' }])
      .resource('a:csv', { mimeType: 'text/csv; charset=utf-8' }, () => 'x,y')
    const read = async (uri: string) => {
      const result = await library.read({ uri, maxBytes: 1000 }, call)
      return result.kind === 'contents' ? result.contents : result
    }
    expect(await read('a:text')).toEqual([{ uri: 'a:text', mimeType: 'text/plain', text: 'plain' }])
    expect(await read('a:bytes')).toEqual([{ uri: 'a:bytes', mimeType: 'image/png', bytes: Uint8Array.of(1, 2) }])
    expect(await read('a:json')).toEqual([{ uri: 'a:json', mimeType: 'application/json', text: '{"ok":true}' }])
    expect(await read('a:null')).toEqual([{ uri: 'a:null', mimeType: 'application/json', text: 'null' }])
    expect(await read('a:array')).toEqual([{ uri: 'a:array', mimeType: 'application/json', text: '[1,2]' }])
    expect(await read('a:empty')).toEqual([{ uri: 'a:empty', mimeType: 'application/json', text: '[]' }])
    expect(await read('a:contents')).toEqual([{ uri: 'a:contents', mimeType: 'text/x', text: 'own' }])
    expect(await read('a:csv')).toEqual([{ uri: 'a:csv', mimeType: 'text/csv; charset=utf-8', text: 'x,y' }])
  })

  it('takes undefined for "not found" and refuses what JSON cannot carry', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('a:gone', () => undefined)
      .resource('a:odd', () => Symbol('odd'))
    expect(await failure(text(library, 'a:gone'))).toMatchObject({ code: 'not-found', details: { uri: 'a:gone' } })
    expect((await failure(text(library, 'a:odd'))).code).toBe('internal')
  })

  it('refuses more bytes than were asked for, naming size and limit', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:big', () => 'é'.repeat(600))
    expect(await failure(text(library, 'a:big'))).toMatchObject({ code: 'too-large', details: { size: 1200, limit: 1000 } })
  })

  it('finds a static resource under every spelling of its URI, and hands the spelling on', async () => {
    const library = createLibrary({ name: 'acme' }).resource('note:///caf%C3%A9~', ({ uri }) => uri)
    expect(await text(library, 'NOTE:///caf%c3%a9%7E')).toBe('NOTE:///caf%c3%a9%7E')
    expect(await text(library, 'note:///café~')).toBe('note:///café~')
    expect((await failure(text(library, 'note:///CAF%C3%A9~'))).code).toBe('not-found')
  })

  it('prefers static over template on the same URI, whatever the order', async () => {
    const library = createLibrary({ name: 'acme' })
      .template('conf://main{?fmt}', ({ fmt = 'json' }) => `template ${fmt}`)
      .resource('conf://main', () => 'static')
    expect(await text(library, 'conf://main')).toBe('static')
    expect(await text(library, 'conf://main?fmt=yaml')).toBe('template yaml')
  })

  it('goes static, longest prefix, template, catch-all', async () => {
    const named = (name: string, prefixes: Provider['prefixes'], reads: RegExp): Provider => ({
      name,
      prefixes,
      list: async () => ({ items: [] }),
      read: async ({ uri }) => {
        if (!reads.test(uri)) throw notFound(uri)
        return { kind: 'contents', contents: [{ uri, text: name }] }
      },
    })
    const library = createLibrary({ name: 'acme' })
      .mount(named('first-any', 'any', /^db:rare/))
      .mount(named('second-any', 'any', /./))
      .mount(named('short', ['db://'], /./))
      .mount(named('long', ['db://main/'], /./))
      .mount(named('whole', ['file:///docs'], /./))
      .template('db://main/{x}', () => 'never asked: a mount owns the prefix')
      .template('ticket://{id}', ({ id }) => `ticket ${id}`)
      .resource('db://main/own', () => 'own')
    expect(await text(library, 'db://main/own')).toBe('own')
    expect(await text(library, 'db://main/t')).toBe('long')
    expect(await text(library, 'DB://main/t')).toBe('long')
    expect(await text(library, 'db://other')).toBe('short')
    expect(await text(library, 'ticket://7')).toBe('ticket 7')
    expect(await text(library, 'db:rare')).toBe('first-any')
    expect(await text(library, 'else:where')).toBe('second-any')
    expect(await text(library, 'file:///docs')).toBe('whole')
    expect(await text(library, 'file:///docs/a')).toBe('whole')
    expect(await text(library, 'file:///docs-evil/a')).toBe('second-any')
  })

  it.each(['', 'no scheme', 'a:%zz', 'a:%00', 'a:\u0007', `a:${'x'.repeat(8192)}`, 'a:\ud800', 'a:{x}'])(
    'answers %j like any absent URI',
    async (uri) => {
      const library = createLibrary({ name: 'acme' }).mount(memory({ name: 'm', resources: [{ uri: 'a:b', text: 'x' }] }))
      expect(await failure(text(library, uri))).toMatchObject({
        code: 'not-found',
        message: 'Resource not found',
        details: { uri },
      })
    },
  )
})
