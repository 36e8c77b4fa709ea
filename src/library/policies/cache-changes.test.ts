import { describe, expect, it } from 'vitest'
import { body, cachedShelf, counted, text } from '../../../test/library/counted-provider.ts'
import { call, failure } from '../../../test/library/reading.ts'
import { watched } from '../../../test/library/watched-provider.ts'
import { notFound } from '../../errors.ts'
import { memory } from '../../providers/memory/index.ts'
import { createLibrary } from '../library.ts'
import type { Change, Provider, ReadResult } from '../provider.ts'
import { settleable } from '../settleable.ts'
import { access } from './access.ts'
import { cache } from './cache.ts'

describe('cache() and changes', () => {
  it('keeps that there is nothing only when it is asked to, and until something comes', async () => {
    const { clock, asked, library, read } = cachedShelf(
      ({ uri }) => {
        throw notFound(uri)
      },
      { notFoundMs: 10 },
    )
    for (let i = 0; i < 2; i++) {
      expect(await failure(read())).toMatchObject({ code: 'not-found', details: { uri: 'x:1' } })
    }
    expect(asked).toHaveLength(1)
    clock.advance(10)
    await failure(read())
    library.listChanged()
    await failure(read())
    library.updated('x:1')
    await failure(read())
    expect(asked).toHaveLength(4)
  })

  it('lets go of what changed as soon as it is told, whoever listens', async () => {
    let version = 0
    const library = createLibrary({ name: 'acme' })
      .resource('own:1', () => `${version++}`)
      .resource('own:2', { dependsOn: ['own:1'] }, () => `${version++}`)
      .resource('own:3', () => `${version++}`)
      .use(cache({ ttlMs: 100 }))
    const read = (uri: string) => body(library.read({ uri, maxBytes: 9 }, call))
    const all = async () => [await read('own:1'), await read('own:2'), await read('own:3')]
    expect(await all()).toEqual(['0', '1', '2'])
    expect(await all()).toEqual(['0', '1', '2'])
    library.updated('OWN:1')
    expect(await all()).toEqual(['3', '4', '2'])
    library.listChanged()
    expect(await all()).toEqual(['5', '6', '7'])
  })

  it.each<readonly [Change, string]>([
    [{ kind: 'updated', uri: 'w:a/b' }, 'ab'],
    [{ kind: 'updated', uri: 'w:part' }, 'a'],
    [{ kind: 'updated', uri: 'w:other' }, ''],
    [{ kind: 'list' }, 'a, ab, c, list'],
    [{ kind: 'list', under: 'w:a/' }, 'a, ab, list'],
    [{ kind: 'list', under: 'w:a/b' }, 'a, ab, list'],
    [{ kind: 'list', under: 'w:c' }, 'c, list'],
    [{ kind: 'lost' }, 'a, ab, c, list'],
    [{ kind: 'lost', under: 'w:c' }, 'a, ab, c, list'],
  ])('after %j asks again for: %s', async (change, again) => {
    const { provider, emit } = watched('w')
    const asked: string[] = []
    const source: Provider = {
      ...provider,
      list: async () => {
        asked.push('list')
        return { items: [] }
      },
      read: async ({ uri }) => {
        asked.push(uri.slice(2).replaceAll('/', ''))
        const contents =
          uri === 'w:a'
            ? [
                { uri, text: '' },
                { uri: 'w:part', text: '' },
              ]
            : [{ uri, text: '' }]
        return { kind: 'contents', contents }
      },
    }
    const shelf = cache({ ttlMs: 100 })(source)
    const watcher = await shelf.watch!(() => undefined)
    const all = async () => {
      for (const uri of ['w:a', 'w:a/b', 'w:c']) await shelf.read({ uri, maxBytes: 9 }, call)
      await shelf.list({ limit: 1 }, call)
    }
    await all()
    asked.length = 0
    emit(change)
    await all()
    expect(asked.join(', ')).toBe(again)
    await watcher[Symbol.asyncDispose]()
  })

  it('neither keeps nor shares what was asked for before a change', async () => {
    const answers: ((result: ReadResult) => void)[] = []
    const { asked, library, read } = cachedShelf(() => new Promise((resolve) => answers.push(resolve)))
    const before = body(read())
    await expect.poll(() => answers.length).toBe(1)
    library.updated('x:1')
    const after = body(read())
    await expect.poll(() => answers.length).toBe(2)
    answers[0]!(text('x:1', 'old'))
    expect(await before).toBe('old')
    answers[1]!(text('x:1', 'new'))
    expect(await after).toBe('new')
    expect(await body(read())).toBe('new')
    expect(asked).toHaveLength(2)
  })

  it('does not keep that there was nothing when something came meanwhile', async () => {
    const fail = settleable<ReadResult>()
    const { asked, library, read } = cachedShelf(({ uri }) => (asked.length === 1 ? fail.promise : text(uri, 'new')), {
      notFoundMs: 100,
    })
    const before = failure(read())
    await expect.poll(() => asked).toHaveLength(1)
    library.listChanged()
    fail.reject(notFound('x:1'))
    expect(await before).toMatchObject({ code: 'not-found' })
    expect(await body(read())).toBe('new')
  })

  it('asks again what the provider asked of its caller, so that other rules hold at once', async () => {
    const { provider, asked } = counted(({ uri }, inside) => {
      if (!inside.allows('read', 'x:target')) throw notFound(uri)
      return text(uri, 'one')
    })
    const rules = access({ rules: [{ allow: 'x:' }] })
    const library = createLibrary({ name: 'acme' })
      .mount(provider)
      .use(rules)
      .use(cache({ ttlMs: 1_000 }))
    const read = () => body(library.read({ uri: 'x:link', maxBytes: 9 }, call))
    expect([await read(), await read()]).toEqual(['one', 'one'])
    expect(asked).toHaveLength(1)
    rules.replace([{ deny: 'x:target' }, { allow: 'x:' }])
    expect(await failure(read())).toMatchObject({ code: 'not-found' })
    rules.replace([{ allow: 'x:' }])
    expect(await read()).toBe('one')
    expect(asked).toHaveLength(2)
  })
})

describe('cache({ untilChanged })', () => {
  function listenedTo(add?: (uri: string) => Promise<void>) {
    const { provider, emit, said } = watched('w', undefined, add)
    let reads = 0
    const shelf = cache({ untilChanged: true })({ ...provider, read: async ({ uri }) => text(uri, `${++reads}`) })
    return { shelf, emit, said, read: (uri = 'w:1') => body(shelf.read({ uri, maxBytes: 9 }, call)) }
  }

  it('keeps what is listened to until its change is told, and no longer than it is listened to', async () => {
    const { shelf, emit, said, read } = listenedTo()
    const watcher = await shelf.watch!(() => undefined)
    expect([await read(), await read()]).toEqual(['1', '2'])
    await watcher.add('w:1')
    expect([await read(), await read(), await read('w:2'), await read('w:2')]).toEqual(['3', '3', '4', '5'])
    emit({ kind: 'updated', uri: 'w:1' })
    expect([await read(), await read()]).toEqual(['6', '6'])
    emit({ kind: 'lost' })
    expect([await read(), await read()]).toEqual(['7', '7'])
    await watcher.add('W:1')
    watcher.remove('w:1')
    expect(await read()).toBe('7')
    watcher.remove('w:1')
    expect([await read(), await read()]).toEqual(['8', '9'])
    await watcher.add('w:1')
    expect([await read(), await read()]).toEqual(['10', '10'])
    await watcher[Symbol.asyncDispose]()
    expect(await read()).toBe('11')
    expect(said).toContain('dispose')
  })

  it('does not take for listened to what is only about to be, or was taken back before', async () => {
    const added = settleable<void>()
    const { shelf, read } = listenedTo(() => added.promise)
    const watcher = await shelf.watch!(() => undefined)
    const adding = watcher.add('w:1')
    expect([await read(), await read()]).toEqual(['1', '2'])
    watcher.remove('w:1')
    added.resolve()
    await adding
    expect([await read(), await read()]).toEqual(['3', '4'])
    await watcher[Symbol.asyncDispose]()
  })

  it('does not trust what was listened to anew meanwhile, or what comes along under other URIs', async () => {
    const { provider } = watched('w')
    const answers: ((result: ReadResult) => void)[] = []
    const cached = cache({ untilChanged: true })({ ...provider, read: () => new Promise((resolve) => answers.push(resolve)) })
    const watcher = await cached.watch!(() => undefined)
    await watcher.add('w:1')
    const read = async (result: ReadResult, meanwhile = async () => {}) => {
      const count = answers.length
      const reading = cached.read({ uri: 'w:1', maxBytes: 9 }, call)
      await expect.poll(() => answers.length).toBe(count + 1)
      await meanwhile()
      answers.at(-1)!(result)
      return reading
    }
    await read({ kind: 'contents', contents: [{ uri: 'w:2', text: 'other' }] })
    await read(text('w:1', 'one'), async () => {
      watcher.remove('w:1')
      await watcher.add('w:1')
    })
    await read(text('w:1', 'two'))
    expect(await body(cached.read({ uri: 'w:1', maxBytes: 9 }, call))).toBe('two')
    expect(answers).toHaveLength(3)
    await watcher[Symbol.asyncDispose]()
  })

  it('keeps what clients of a Library listen to', async () => {
    const source = memory({ name: 'm', resources: [{ uri: 'x:1', text: 'one' }] })
    let reads = 0
    const library = createLibrary({ name: 'acme', changeWindowMs: 0 }).mount(
      cache({ untilChanged: true })({
        ...source,
        read: (request, inside) => {
          reads++
          return source.read(request, inside)
        },
      }),
    )
    const seen: unknown[] = []
    const watcher = await library.watch(async () => seen.push(await body(library.read({ uri: 'x:1', maxBytes: 9 }, call))))
    await watcher.add('x:1')
    const read = () => body(library.read({ uri: 'x:1', maxBytes: 9 }, call))
    expect([await read(), await read(), reads]).toEqual(['one', 'one', 1])
    source.update('x:1', { text: 'two' })
    expect([await read(), await read(), reads]).toEqual(['two', 'two', 2])
    await expect.poll(() => seen).toEqual(['two'])
    await library[Symbol.asyncDispose]()
  })
})
