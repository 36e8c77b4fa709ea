import { describe, expect, expectTypeOf, it } from 'vitest'
import { memory } from '../providers/memory/index.ts'
import { notFound, ShelfError } from '../errors.ts'
import { localCall } from './call.ts'
import { createLibrary } from './library.ts'
import type { Library } from './library.ts'
import type { Change, Page, Provider } from './provider.ts'

const call = localCall()

async function uris(library: Library, limit = 1000): Promise<readonly string[]> {
  const page = await library.list({ limit }, call)
  return page.items.map((item) => item.uri)
}

async function text(library: Library, uri: string): Promise<unknown> {
  const result = await library.read({ uri, maxBytes: 1000 }, call)
  if (result.kind !== 'contents') return result.kind
  const [first] = result.contents
  return first !== undefined && 'text' in first ? first.text : first
}

async function failure(work: Promise<unknown> | (() => unknown)): Promise<ShelfError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (error instanceof ShelfError) return error
    throw error
  }
  throw new Error('expected a ShelfError')
}

describe('createLibrary()', () => {
  it('refuses a name that cannot stand in a qualified URI', async () => {
    expect(await failure(() => createLibrary({ name: 'My Docs' }))).toMatchObject({ code: 'invalid-option' })
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
    expect(await read('a:contents')).toEqual([{ uri: 'a:contents', mimeType: 'text/x', text: 'own' }])
    expect(await read('a:csv')).toEqual([{ uri: 'a:csv', mimeType: 'text/csv; charset=utf-8', text: 'x,y' }])
  })

  it('takes undefined for "not found" and refuses what JSON cannot carry', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('a:gone', () => undefined)
      .resource('a:odd', () => Symbol('odd'))
      .resource('a:empty', () => [] as never[])
    expect(await failure(text(library, 'a:gone'))).toMatchObject({ code: 'not-found', details: { uri: 'a:gone' } })
    expect((await failure(text(library, 'a:odd'))).code).toBe('internal')
    expect((await failure(text(library, 'a:empty'))).code).toBe('internal')
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

describe('Library.list()', () => {
  it('gives all parts in one walk, without an empty page at the end', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('own:1', () => '')
      .resource('own:2', () => '')
      .template('t:{x}', { list: () => [{ x: '1' }, { x: '2' }] }, () => '')
      .mount(memory({ name: 'empty', resources: [] }))
      .mount(
        memory({
          name: 'm',
          resources: [
            { uri: 'm:1', text: '' },
            { uri: 'm:2', text: '' },
          ],
        }),
      )
    for (const limit of [1, 2, 3, 4, 6, 7]) {
      const seen: string[] = []
      let pages = 0
      let after: Page<unknown>['next']
      do {
        const page: Awaited<ReturnType<Library['list']>> = await library.list(
          { limit, ...(after !== undefined && { after }) },
          call,
        )
        expect(page.items.length).toBeGreaterThan(0)
        seen.push(...page.items.map((item) => item.uri))
        after = page.next
        pages++
      } while (after !== undefined)
      expect(seen).toEqual(['own:1', 'own:2', 't:1', 't:2', 'm:1', 'm:2'])
      expect(pages).toBe(Math.ceil(6 / limit))
    }
  })

  it('keeps its place when resources before it come and go', async () => {
    const library = createLibrary({ name: 'acme' })
    for (let i = 0; i < 10; i++) library.resource(`n:${i}`, () => '')
    const first = await library.list({ limit: 5 }, call)
    library.remove('n:1')
    library.remove('n:4')
    library.resource('n:10', () => '')
    const rest = await library.list({ limit: 100, after: first.next! }, call)
    expect(rest.items.map((item) => item.uri)).toEqual(['n:5', 'n:6', 'n:7', 'n:8', 'n:9', 'n:10'])
  })

  it('names a failed mount in a notice and gives the others, or rejects when strict or when all failed', async () => {
    const broken: Provider = {
      name: 'broken',
      prefixes: ['broken:'],
      list: () => Promise.reject(new Error('secret path')),
      read: ({ uri }) => Promise.reject(notFound(uri)),
    }
    const good = () => memory({ name: 'good', resources: [{ uri: 'good:1', text: '' }] })
    const page = await createLibrary({ name: 'acme' }).mount(broken).mount(good()).list({ limit: 10 }, call)
    expect(page.items.map((item) => item.uri)).toEqual(['good:1'])
    expect(page.notices).toEqual([{ level: 'warning', provider: 'mount:broken', message: 'Left out: it failed' }])
    await expect(
      createLibrary({ name: 'acme', strict: true }).mount(broken).mount(good()).list({ limit: 10 }, call),
    ).rejects.toThrow('secret path')
    await expect(createLibrary({ name: 'acme' }).mount(broken).list({ limit: 10 }, call)).rejects.toThrow('secret path')
  })

  it('does not wait for a mount that takes longer than its budget', async () => {
    const slow: Provider = {
      name: 'slow',
      prefixes: ['slow:'],
      list: () => new Promise(() => undefined),
      read: ({ uri }) => Promise.reject(notFound(uri)),
    }
    const library = createLibrary({ name: 'acme', listBudgetMs: 20 })
      .mount(slow)
      .resource('a:b', () => '')
    const page = await library.list({ limit: 10 }, call)
    expect(page.items.map((item) => item.uri)).toEqual(['a:b'])
    expect(page.notices).toEqual([{ level: 'warning', provider: 'mount:slow', message: 'Left out: no answer within 20 ms' }])
  })

  it('does not list a mounted resource twice that is also an own one', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('m:1', () => 'own')
      .mount(
        memory({
          name: 'm',
          prefixes: ['m:'],
          resources: [
            { uri: 'm:1', text: 'mounted' },
            { uri: 'm:2', text: '' },
          ],
        }),
      )
    expect(await uris(library)).toEqual(['m:1', 'm:2'])
    expect(await text(library, 'm:1')).toBe('own')
  })
})

describe('Library.mount()', () => {
  const child = () =>
    createLibrary({ name: 'child' })
      .resource('s://static', () => 'static')
      .template('t://{x}/rest{/y*}{?z}', ({ x, y = [], z = '' }) => `${x}|${y.join(',')}|${z}`)
      .template('p://{+path}', { complete: { path: ['a/b', 'a/c', 'd'] } }, ({ path }) => path)

  it('is transparent for every operator at two levels', async () => {
    const inner = createLibrary({ name: 'inner' }).mount(child(), { at: 'b' })
    const outer = createLibrary({ name: 'outer' }).mount(inner, { at: 'a' })
    await outer.start()
    expect(await uris(outer)).toEqual(['a+b+s://static'])
    expect((await outer.templates({ limit: 10 }, call)).items.map((item) => item.uriTemplate)).toEqual([
      'a+b+t://{x}/rest{/y*}{?z}',
      'a+b+p://{+path}',
    ])
    expect(await text(outer, 'a+b+s://static')).toBe('static')
    expect(await text(outer, 'a+b+t://1%202/rest/p/q?z=5')).toBe('1 2|p,q|5')
    expect(await text(outer, 'a+b+p://x/y.md')).toBe('x/y.md')
    const result = await outer.read({ uri: 'A+B+s://static', maxBytes: 100 }, call)
    expect(result.kind === 'contents' && result.contents[0]?.uri).toBe('a+b+s://static')
    expect(
      await outer.complete({ template: 'a+b+p://{+path}', variable: 'path', prefix: 'a/', arguments: {}, limit: 100 }, call),
    ).toEqual({
      values: ['a/b', 'a/c'],
      total: 2,
      hasMore: false,
    })
    expect(await failure(text(outer, 'a+b+none://x'))).toMatchObject({ details: { uri: 'a+b+none://x' } })
  })

  it('passes changes on under the outer URI', async () => {
    const deep = child()
    const outer = createLibrary({ name: 'outer' }).mount(createLibrary({ name: 'inner' }).mount(deep, { at: 'b' }), { at: 'a' })
    const changes: Change[] = []
    await using watcher = await outer.watch((change) => changes.push(change))
    await watcher.add('a+b+s://static')
    deep.updated('s://static', 'v2')
    expect(changes).toEqual([{ kind: 'updated', uri: 'a+b+s://static', version: 'v2' }])
  })

  it('asks for access with the outer URI', async () => {
    const asked: string[] = []
    const provider: Provider = {
      name: 'p',
      prefixes: ['x:'],
      list: async () => ({ items: [] }),
      read: async ({ uri }, inner) => {
        inner.allows('read', `${uri}/real`)
        return { kind: 'contents', contents: [{ uri, text: '' }] }
      },
    }
    const library = createLibrary({ name: 'acme' }).mount(provider, { at: 'team' })
    const asking = { ...localCall(), allows: (_operation: string, uri: string) => asked.push(uri) > 0 }
    await library.read({ uri: 'team+x:1', maxBytes: 1 }, asking)
    expect(asked).toEqual(['team+x:1/real'])
  })

  it('refuses a name or prefix that is mounted, naming both places', async () => {
    const library = createLibrary({ name: 'acme' }).mount(memory({ name: 'm', prefixes: ['m:'], resources: [] }))
    expect(
      await failure(() => library.mount(memory({ name: 'm', prefixes: ['n:'], resources: [] }), { at: 'two' })),
    ).toMatchObject({
      code: 'duplicate',
      details: { first: 'mount m', second: 'mount m at two' },
    })
    expect((await failure(() => library.mount(memory({ name: 'n', prefixes: ['m:'], resources: [] })))).code).toBe('duplicate')
    expect((await failure(() => library.mount(memory({ name: 'n', resources: [] }), { at: 'a+b' }))).code).toBe('invalid-option')
  })

  it('starts and disposes what it owns, also what is mounted later', async () => {
    const events: string[] = []
    const provider = (name: string): Provider => ({
      name,
      prefixes: [`${name}:`],
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: name }] }),
      start: async () => {
        await Promise.resolve()
        events.push(`start ${name}`)
      },
      [Symbol.asyncDispose]: async () => {
        events.push(`dispose ${name}`)
      },
    })
    const library = createLibrary({ name: 'acme' }).mount(provider('a'))
    await library.start()
    library.mount(provider('b'))
    expect(await text(library, 'b:1')).toBe('b')
    expect(await library.unmount('a')).toBe(true)
    expect(await library.unmount('a')).toBe(false)
    expect((await failure(text(library, 'a:1'))).code).toBe('not-found')
    await library[Symbol.asyncDispose]()
    expect(events).toEqual(['start a', 'start b', 'dispose a', 'dispose b'])
  })
})

describe('Library.complete()', () => {
  const many = Array.from({ length: 12_345 }, (_, i) => `Item${i}`)
  const library = createLibrary({ name: 'acme' })
    .template(
      'repo://{owner}/{name}',
      {
        list: () => [
          { owner: 'o1', name: 'a' },
          { owner: 'o1', name: 'b' },
          { owner: 'o2', name: 'c' },
        ],
      },
      () => '',
    )
    .template('many://{id}', { complete: { id: many } }, () => '')
    .template(
      'fn://{id}',
      {
        complete: {
          id: (prefix, { arguments: chosen }) => ({ values: [`${prefix}!`, chosen['kind'] ?? 'none'], total: 7, hasMore: true }),
        },
      },
      () => '',
    )
    .template('none://{id}', () => '')
  const complete = (template: string, variable: string, prefix: string, chosen: Record<string, string> = {}) =>
    library.complete({ template, variable, prefix, arguments: chosen, limit: 100 }, call)

  it('narrows by what was chosen before', async () => {
    expect(await complete('repo://{owner}/{name}', 'name', '', { owner: 'o1' })).toEqual({
      values: ['a', 'b'],
      total: 2,
      hasMore: false,
    })
    expect(await complete('repo://{owner}/{name}', 'name', '')).toEqual({ values: ['a', 'b', 'c'], total: 3, hasMore: false })
    expect(await complete('repo://{owner}/{name}', 'owner', 'O')).toEqual({ values: ['o1', 'o2'], total: 2, hasMore: false })
  })

  it('tells how many there are and narrows by prefix whatever the case', async () => {
    expect(await complete('many://{id}', 'id', '')).toMatchObject({ total: 12_345, hasMore: true, values: { length: 100 } })
    expect(await complete('many://{id}', 'id', 'item1234')).toEqual({
      values: ['Item1234', 'Item12340', 'Item12341', 'Item12342', 'Item12343', 'Item12344'],
      total: 6,
      hasMore: false,
    })
  })

  it('uses a Completion as it is, knows a concrete URI, and has nothing where nothing is known', async () => {
    expect(await complete('fn://{id}', 'id', 'x', { kind: 'k' })).toEqual({ values: ['x!', 'k'], total: 7, hasMore: true })
    expect(await complete('many://Item7', 'id', 'Item12344')).toEqual({ values: ['Item12344'], total: 1, hasMore: false })
    expect(await complete('none://{id}', 'id', '')).toEqual({ values: [], total: 0, hasMore: false })
  })

  it('refuses unknown templates and variables', async () => {
    expect((await failure(complete('nope://{id}', 'id', ''))).code).toBe('not-found')
    const error = await failure(complete('repo://{owner}/{name}', 'nmae', ''))
    expect(error).toMatchObject({ code: 'invalid-params' })
    expect(error.message).toContain('owner, name')
  })
})
