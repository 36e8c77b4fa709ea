import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { call, failure, text, uris } from './reading.ts'

describe('Library.template()', () => {
  it.each(['..%2Fx', 'a%2F..%2F..%2Fx', '%2Fetc%2Fpasswd', '..', '.', 'a%5C..%5Cb', 'a%0Ab', 'x%2F.'])(
    'screens %s before the handler',
    async (value) => {
      const library = createLibrary({ name: 'acme' }).template('doc://{name}', () => 'reached')
      expect((await failure(text(library, `doc://${value}`))).code).toBe('not-found')
    },
  )

  it.each(['v1..v2', 'HEAD~3..HEAD', 'a..b.txt', '...', 'a%2Fb'])('lets %s through', async (value) => {
    const library = createLibrary({ name: 'acme' }).template('doc://{name}', () => 'reached')
    expect(await text(library, `doc://${value}`)).toBe('reached')
  })

  it('leaves out the screen for a variable, or for all', async () => {
    const library = createLibrary({ name: 'acme' })
      .template('one://{safe}/{raw}', { unscreened: ['raw'] }, ({ raw }) => raw)
      .template('all://{raw}', { unscreened: true }, ({ raw }) => raw)
    expect(await text(library, 'one://a/..')).toBe('..')
    expect((await failure(text(library, 'one://../a'))).code).toBe('not-found')
    expect(await text(library, 'all://..')).toBe('..')
  })

  it('refuses an equal shape and names both templates', async () => {
    const library = createLibrary({ name: 'acme' }).template('t://{id}', () => '')
    const error = await failure(() => library.template('t://{name}', () => ''))
    expect(error).toMatchObject({
      code: 'invalid-template',
      details: { template: 't://{name}', reason: 'duplicate', other: 't://{id}' },
    })
    expect(error.message).toContain('t://{id}')
  })

  it('lists known values with the metadata of the template, in the order of their URIs', async () => {
    const library = createLibrary({ name: 'acme' }).template(
      'item://{id}',
      {
        title: 'Item',
        mimeType: 'text/plain',
        list: () => [{ id: 'b' }, { id: 'a c' }, { values: { id: 'd' }, title: 'Special', size: 3 }],
      },
      ({ id }) => id,
    )
    expect((await library.list({ limit: 10 }, call)).items).toEqual([
      { uri: 'item://a%20c', name: 'a c', title: 'Item', mimeType: 'text/plain' },
      { uri: 'item://b', name: 'b', title: 'Item', mimeType: 'text/plain' },
      { uri: 'item://d', name: 'd', title: 'Special', mimeType: 'text/plain', size: 3 },
    ])
    for (const uri of await uris(library)) expect(await text(library, uri)).toBeTypeOf('string')
  })

  it('leaves known values that do not come back out of the list, with a notice', async () => {
    const library = createLibrary({ name: 'acme' }).template(
      'item://{id}',
      { list: () => [{ id: '' }, { id: 'x' }] },
      ({ id }) => id,
    )
    const page = await library.list({ limit: 10 }, call)
    expect(page.items.map((item) => item.uri)).toEqual(['item://x'])
    expect(page.notices).toHaveLength(1)
  })
})

describe('Library.resource()', () => {
  it('refuses a URI that is taken, naming both places', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:b', { title: 'First' }, () => '')
    expect(await failure(() => library.resource('A:b', { title: 'Second' }, () => ''))).toMatchObject({
      code: 'duplicate',
      details: { first: 'resource "First" at a:b', second: 'resource "Second" at A:b' },
    })
  })

  it('refuses braces and points to templates', async () => {
    const error = await failure(() => createLibrary({ name: 'acme' }).resource('a:{b}', () => ''))
    expect(error).toMatchObject({ code: 'invalid-template', details: { offset: 2 } })
    expect(error.message).toContain('.template(')
  })

  it('lists what a URI may hold as written and the rest as triplets', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('X://Host/%7Euser', () => '')
      .resource('note:///a b/ü', () => '')
    expect(await uris(library)).toEqual(['X://Host/%7Euser', 'note:///a%20b/%C3%BC'])
    for (const uri of await uris(library)) expect(await text(library, uri)).toBe('')
  })

  it('computes metadata when it is listed', async () => {
    let size = 1
    const library = createLibrary({ name: 'acme' }).resource('a:b', { size: 0, describe: () => ({ size: size++ }) }, () => '')
    expect((await library.list({ limit: 1 }, call)).items[0]?.size).toBe(1)
    expect((await library.stat({ uri: 'a:b' }, call)).resource.size).toBe(2)
  })
})
