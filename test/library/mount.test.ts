import { describe, expect, it, vi } from 'vitest'
import { createLibrary, localCall } from '../../src/index.ts'
import type { Change, Provider } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { call, failure, text, uris } from './reading.ts'

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
    await vi.waitFor(() => expect(changes).toHaveLength(1))
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

describe('Library.watch()', () => {
  it('hears of mounts that come later, and no more of those that are gone', async () => {
    const source = memory({ name: 'm', prefixes: ['m:'], resources: [{ uri: 'm:1', text: '' }] })
    const clock = createFakeClock()
    const library = createLibrary({ name: 'acme', clock })
    await library.start()
    const changes: Change[] = []
    await using watcher = await library.watch((change) => changes.push(change))
    await watcher.add('m:1')
    library.mount(source)
    await Promise.resolve()
    await Promise.resolve()
    source.update('m:1', { text: 'new' })
    clock.advance(100)
    expect(changes.map((change) => change.kind)).toEqual(['list', 'updated'])
    await library.unmount('m')
    source.update('m:1', { text: 'newer' })
    clock.advance(100)
    expect(changes.map((change) => change.kind)).toEqual(['list', 'updated', 'list', 'updated'])
  })

  it('tells the author when nothing will be listed', () => {
    const library = createLibrary({ name: 'acme' })
    expect(library.advice).toEqual([])
    library.template('t:{x}', () => '')
    expect(library.advice).toHaveLength(1)
    library.template('u:{x}', { list: () => [{ x: '1' }] }, () => '')
    expect(library.advice).toEqual([])
  })
})
