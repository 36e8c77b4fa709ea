import { describe, expect, it } from 'vitest'
import { createLibrary, definePolicy, localCall, notFound, ShelfError } from '../../src/index.ts'
import type { Operation, Policy, Provider } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { call, failure, text, uris } from './reading.ts'
import { watched } from './watched-provider.ts'

const folder: Provider = {
  name: 'folder',
  prefixes: ['dir:'],
  list: async () => ({ items: [{ uri: 'dir:///a', name: 'a' }] }),
  read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: 'body' }] }),
  children: async () => ({ items: [{ uri: 'dir:///a', name: 'a' }] }),
  stat: async ({ uri }) => ({ resource: { uri, name: 'a' } }),
}

const library = (...policies: readonly Policy[]) => {
  const made = createLibrary({ name: 'acme' })
    .mount(folder)
    .resource('own:1', () => 'one')
    .template('t:{x}', { complete: { x: ['1'] } }, () => 'tea')
  for (const policy of policies) made.use(policy)
  return made
}

describe('definePolicy()', () => {
  it('runs round every operation, with what it is about', async () => {
    const steps: (readonly [Operation, string | undefined])[] = []
    const shelf = library(
      definePolicy({
        name: 'log',
        around: (step, _call, next) => {
          steps.push([step.operation, step.uri])
          return next()
        },
      }),
    )
    await shelf.list({ limit: 1 }, call)
    await shelf.templates({ limit: 1 }, call)
    await text(shelf, 'own:1')
    await shelf.stat({ uri: 'own:1' }, call)
    await shelf.children({ uri: 'dir:///', limit: 1 }, call)
    await shelf.complete({ template: 't:{x}', variable: 'x', prefix: '', arguments: {}, limit: 1 }, call)
    expect(steps).toEqual([
      ['list', undefined],
      ['templates', undefined],
      ['read', 'own:1'],
      ['stat', 'own:1'],
      ['children', 'dir:///'],
      ['complete', 't:{x}'],
    ])
  })

  it('wraps the first one used outermost, and hands another Call inwards', async () => {
    const order: string[] = []
    const named = (name: string) =>
      definePolicy({
        name,
        around: async (_step, outer, next) => {
          order.push(`${name} in as ${outer.principal.id}`)
          const result = await next({ ...localCall(), principal: { ...outer.principal, id: name } })
          order.push(`${name} out`)
          return result
        },
      })
    await text(library(named('a'), named('b')), 'own:1')
    expect(order).toEqual(['a in as local', 'b in as a', 'b out', 'a out'])
  })

  it('tells what is asked, and hands another request inwards', async () => {
    const asked: unknown[] = []
    const shelf = library(
      definePolicy({
        name: 'outer',
        around: ({ operation, request }, _call, next) =>
          next(undefined, operation === 'list' ? { ...request, limit: 1 } : undefined),
      }),
      definePolicy({
        name: 'inner',
        around: (step, _call, next) => {
          asked.push(step.request)
          return next()
        },
      }),
    )
    expect(await uris(shelf)).toEqual(['own:1'])
    await shelf.read({ uri: 'own:1', maxBytes: 9, ifVersion: '1' }, call)
    expect(asked).toEqual([{ limit: 1 }, { uri: 'own:1', maxBytes: 9, ifVersion: '1' }])
  })

  it('hears of every change at once, and of what depends on it, before those who listen', async () => {
    const { provider, emit } = watched('w')
    const heard: unknown[] = []
    const hears = (who: string) =>
      definePolicy({
        name: who,
        hearing: (change) => {
          heard.push([who, change.kind, change.kind === 'updated' ? change.uri : change.under])
          throw new Error('of no concern to others')
        },
      })
    const shelf = createLibrary({ name: 'acme', changeWindowMs: 0 })
      .mount(hears('mount')(provider))
      .resource('own:1', { dependsOn: ['w:1'] }, () => 'one')
      .use(hears('library'))
    heard.length = 0
    shelf.updated('own:2')
    expect(heard).toEqual([['library', 'updated', 'own:2']])
    const told: string[] = []
    const watcher = await shelf.watch(({ kind }) => told.push(kind))
    heard.length = 0
    emit({ kind: 'updated', uri: 'w:1' })
    expect(heard).toEqual([
      ['mount', 'updated', 'w:1'],
      ['library', 'updated', 'w:1'],
      ['library', 'updated', 'own:1'],
    ])
    expect(told).toEqual([])
    await expect.poll(() => told).toEqual(['updated', 'updated'])
    await watcher[Symbol.asyncDispose]()
  })

  it('may refuse instead, and replace what a read returns', async () => {
    const closed = definePolicy({
      name: 'closed',
      around: async (step, _call, next) => {
        if (step.uri === 'own:1') throw notFound(step.uri)
        return next()
      },
    })
    const loud = definePolicy({
      name: 'loud',
      reading: (result) =>
        result.kind === 'contents'
          ? {
              ...result,
              contents: result.contents.map((one) => ('text' in one ? { ...one, text: one.text.toUpperCase() } : one)),
            }
          : result,
    })
    const shelf = library(closed, loud)
    expect(ShelfError.is(await failure(text(shelf, 'own:1')), 'not-found')).toBe(true)
    expect(await text(shelf, 't:1')).toBe('TEA')
    expect(await text(shelf, 'dir:///a')).toBe('BODY')
  })

  it('disposes what a read gave to a `reading` that throws, of a whole body and of a part', async () => {
    let open = 0
    const shelf = createLibrary({ name: 'acme' })
      .resource('own:1', () => {
        open++
        return { kind: 'contents', contents: [{ uri: 'own:1', text: 'one' }], [Symbol.asyncDispose]: async () => void open-- }
      })
      .use(
        definePolicy({
          name: 'strict',
          reading: ({ kind }) => {
            throw new ShelfError('refused', `No ${kind} here`, {})
          },
        }),
      )
    for (const range of [{}, { range: { offset: 0, length: 1 } }]) {
      expect(await failure(shelf.read({ uri: 'own:1', maxBytes: 10, ...range }, call))).toMatchObject({ code: 'refused' })
      expect(open).toBe(0)
    }
  })

  it('keeps items of every kind of page', async () => {
    const shelf = library(definePolicy({ name: 'keep', keep: (uri) => uri.startsWith('own:') }))
    expect(await uris(shelf)).toEqual(['own:1'])
    expect((await shelf.templates({ limit: 10 }, call)).items).toEqual([])
    expect((await shelf.children({ uri: 'dir:///', limit: 10 }, call)).items).toEqual([])
  })

  it('refills a page, and gives a short one with a position after ten limits in vain', async () => {
    const numbers = Array.from({ length: 100 }, (_, i) => ({ uri: `n:${i}`, text: '' }))
    const shelf = (keep: (n: number) => boolean) =>
      createLibrary({ name: 'acme' })
        .mount(memory({ name: 'm', resources: numbers }))
        .use(definePolicy({ name: 'keep', keep: (uri) => keep(Number(uri.slice(2))) }))
    const even = await shelf((n) => n % 2 === 0).list({ limit: 5 }, call)
    expect(even.items.map((item) => item.uri)).toEqual(['n:0', 'n:2', 'n:4', 'n:6', 'n:8'])
    const last = shelf((n) => n === 99)
    const first = await last.list({ limit: 5 }, call)
    expect(first.items).toEqual([])
    expect(first.next).toBeDefined()
    const rest = await last.list({ limit: 5, after: first.next! }, call)
    expect(rest.items.map((item) => item.uri)).toEqual(['n:99'])
    expect(rest.next).toBeUndefined()
    expect(await shelf(() => false).list({ limit: 50 }, call)).toEqual({ items: [] })
  })

  it('passes on what its provider can do, and nothing else', () => {
    const wrapped = definePolicy({ name: 'x' })({
      name: 'p',
      prefixes: 'any',
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    })
    expect(Object.keys(wrapped).toSorted()).toEqual(['list', 'name', 'prefixes', 'read'])
  })

  it('decides at delivery who is told of a change', () => {
    const policy = definePolicy({ name: 'x', keep: (uri, operation) => operation !== 'subscribe' || uri !== 'own:1' })
    expect(policy.delivers({ kind: 'updated', uri: 'own:1' }, call)).toBe(false)
    expect(policy.delivers({ kind: 'updated', uri: 'own:2' }, call)).toBe(true)
    expect(policy.delivers({ kind: 'list' }, call)).toBe(true)
  })
})

describe('replacePolicies()', () => {
  const refusing = (name: string): Policy =>
    definePolicy({
      name,
      keep: (uri) => uri !== 'own:1',
      around: (step, _call, next) => (step.uri === 'own:1' ? Promise.reject(notFound(step.uri)) : next()),
    })

  it('holds for what is asked and what is told from then on, and puts all that were used away', async () => {
    const shelf = library(refusing('old'))
    const change = { kind: 'updated', uri: 'own:1' } as const
    expect([await failure(text(shelf, 'own:1')), shelf.delivers(change, call)]).toMatchObject([{ code: 'not-found' }, false])
    shelf.replacePolicies([])
    expect([await text(shelf, 'own:1'), shelf.delivers(change, call)]).toEqual(['one', true])
    shelf.replacePolicies([refusing('new')])
    expect([await failure(text(shelf, 'own:1')), shelf.delivers(change, call)]).toMatchObject([{ code: 'not-found' }, false])
    expect(await text(shelf, 't:1')).toBe('tea')
  })

  it('lets a request that is under way end with those that it began with', async () => {
    let go: (() => void) | undefined
    const steps: string[] = []
    const shelf = library(
      definePolicy({
        name: 'slow',
        around: async (_step, _call, next) => {
          await new Promise<void>((resolve) => (go = resolve))
          const result = await next()
          steps.push('old')
          return result
        },
      }),
    )
    const reading = text(shelf, 'own:1')
    await expect.poll(() => go).toBeDefined()
    shelf.replacePolicies([definePolicy({ name: 'new', around: (_step, _call, next) => (steps.push('new'), next()) })])
    expect(await text(shelf, 'own:1')).toBe('one')
    go?.()
    expect(await reading).toBe('one')
    expect(steps).toEqual(['new', 'old'])
  })

  it('says that lists differ by principal when one of them says so', () => {
    const shelf = createLibrary({ name: 'acme', listHint: { ttlMs: 1000, cacheScope: 'public' } }).resource('own:1', () => 'one')
    expect(shelf.listHint.cacheScope).toBe('public')
    shelf.replacePolicies([definePolicy({ name: 'mine', personal: true })])
    expect(shelf.listHint.cacheScope).toBe('private')
  })
})
