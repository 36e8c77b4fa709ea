import { describe, expect, it } from 'vitest'
import { as, body, cachedShelf, counted, text } from '../../../test/library/counted-provider.ts'
import { call, failure } from '../../../test/library/reading.ts'
import { notFound, ShelfError } from '../../errors.ts'
import { createFakeClock } from '../../testing/index.ts'
import { localCall } from '../call.ts'
import { createLibrary } from '../library.ts'
import type { Provider, Reading, ReadResult } from '../provider.ts'
import { settleable } from '../settleable.ts'
import { cache } from './cache.ts'
import { deadline } from './deadline.ts'

describe('cache()', () => {
  it('keeps every kind of answer for its time, and each question apart', async () => {
    const { clock, asked, library, read } = cachedShelf(({ uri }) => text(uri, 'one'))
    const complete = { template: 'x:{y}', variable: 'y', arguments: {}, limit: 9 }
    const all = async () => {
      await read()
      await read('x:2')
      await library.list({ limit: 1 }, call)
      await library.list({ limit: 2 }, call)
      await library.templates({ limit: 1 }, call)
      await library.children({ uri: 'x:d', limit: 1 }, call)
      await library.complete({ ...complete, prefix: 'a' }, call)
      await library.complete({ ...complete, prefix: 'b' }, call)
    }
    const once = ['read x:1', 'read x:2', 'list 1', 'list 2', 'templates', 'children x:d', 'complete a', 'complete b']
    await all()
    clock.advance(99)
    await all()
    expect(asked).toEqual(once)
    clock.advance(1)
    await all()
    expect(asked).toEqual([...once, ...once])
  })

  it('believes what an answer says of itself, and says how long that still holds', async () => {
    const hint = { ttlMs: 50, cacheScope: 'private' } as const
    const { clock, asked, library, read } = cachedShelf(({ uri }) =>
      text(uri, 'one', uri === 'x:0' ? { hint: { ...hint, ttlMs: 0 } } : { hint }),
    )
    expect(await read()).toMatchObject({ hint: { ttlMs: 50 } })
    expect(await library.stat({ uri: 'x:1' }, call)).toMatchObject({ hint: { ttlMs: 50 } })
    clock.advance(20)
    expect(await read()).toMatchObject({ hint: { ttlMs: 30, cacheScope: 'private' } })
    expect(await library.stat({ uri: 'x:1' }, call)).toMatchObject({ resource: { uri: 'x:1' }, hint: { ttlMs: 30 } })
    await read('x:0')
    await read('x:0')
    clock.advance(30)
    await read()
    expect(asked).toEqual(['read x:1', 'stat x:1', 'read x:0', 'read x:0', 'read x:1'])
  })

  it('keeps nothing of its own accord', async () => {
    const { asked, library, read } = cachedShelf(({ uri }) => text(uri, 'one'), { ttlMs: 0 })
    for (let i = 0; i < 2; i++) {
      await read()
      await library.list({ limit: 1 }, call)
    }
    expect(asked).toEqual(['read x:1', 'list 1', 'read x:1', 'list 1'])
  })

  it('keeps apart what each principal was answered, by all that a provider can see of it, unless it is public', async () => {
    const { asked, read } = cachedShelf(({ uri }, { principal }) =>
      text(uri, `for ${principal.id}`, uri === 'x:p' ? { hint: { ttlMs: 50, cacheScope: 'public' } } : {}),
    )
    const callers = [as('ann'), as('bob'), as('bob', { scopes: ['s'] }), as('bob', { claims: { g: 1 } }), localCall()]
    for (const caller of callers) expect(await body(read('x:1', {}, caller))).toBe(`for ${caller.principal.id}`)
    for (const caller of callers) await read('x:1', {}, caller)
    for (const caller of callers) expect(await body(read('x:p', {}, caller))).toBe('for ann')
    expect(asked).toEqual([...callers.map(() => 'read x:1'), 'read x:p'])
    const odd = as('odd', { claims: { n: 1n } })
    await read('x:1', {}, odd)
    await read('x:1', {}, odd)
    expect(asked).toHaveLength(8)
  })

  it('asks once what several ask at the same time, and goes on for those who stay', async () => {
    const answer = settleable<ReadResult>()
    let signal: AbortSignal | undefined
    const { asked, read } = cachedShelf(
      (_, inside) => {
        signal = inside.signal
        return answer.promise
      },
      { ttlMs: 0 },
    )
    const [first, second] = [new AbortController(), new AbortController()]
    const gone = failure(read('x:1', {}, localCall({ signal: first.signal })))
    const stays = read('x:1', {}, localCall({ signal: second.signal }))
    const other = read('x:1', {}, localCall())
    await expect.poll(() => asked).toEqual(['read x:1'])
    first.abort()
    expect(await gone).toMatchObject({ code: 'cancelled' })
    expect(signal!.aborted).toBe(false)
    answer.resolve(text('x:1', 'one'))
    expect(await Promise.all([body(stays), body(other)])).toEqual(['one', 'one'])
    expect(asked).toEqual(['read x:1'])
  })

  it('ends the work when all gave up, and disposes what comes all the same', async () => {
    const answer = settleable<ReadResult>()
    let signal: AbortSignal | undefined
    let disposed = 0
    const { read } = cachedShelf(
      (_, inside) => {
        signal = inside.signal
        return answer.promise
      },
      { ttlMs: 0 },
    )
    const caller = new AbortController()
    const gone = [1, 2].map(() => failure(read('x:1', {}, localCall({ signal: caller.signal }))))
    await expect.poll(() => signal).toBeDefined()
    caller.abort()
    expect(await Promise.all(gone)).toMatchObject([{ code: 'cancelled' }, { code: 'cancelled' }])
    expect(signal!.aborted).toBe(true)
    answer.resolve(text('x:1', 'late', { [Symbol.asyncDispose]: async () => void disposed++ }))
    await expect.poll(() => disposed).toBe(1)
  })

  it('keeps a stream that is small as a whole, and disposes it; a large one is had by one alone', async () => {
    let [opened, disposed] = [0, 0]
    const stream = (size: number): ReadResult => ({
      kind: 'contents',
      contents: [
        {
          uri: 'x:1',
          bytes: {
            size,
            open: async function* () {
              opened++
              yield new Uint8Array(size).fill(7)
            },
          },
        },
      ],
      [Symbol.asyncDispose]: async () => void disposed++,
    })
    const small = cachedShelf(() => stream(10), { maxBytes: 100_000 })
    for (const reading of await Promise.all([small.read(), small.read()])) {
      expect(reading).toEqual({ kind: 'contents', contents: [{ uri: 'x:1', bytes: new Uint8Array(10).fill(7) }] })
    }
    expect([small.asked.length, opened, disposed]).toEqual([1, 1, 1])

    const large = cachedShelf(() => stream(30_000), { maxBytes: 100_000 })
    const both = (await Promise.all([
      large.read('x:1', { maxBytes: 30_000 }),
      large.read('x:1', { maxBytes: 30_000 }),
    ])) as Reading[]
    expect([large.asked.length, opened, disposed]).toEqual([2, 1, 1])
    for (const reading of both) await reading[Symbol.asyncDispose]!()
    expect(disposed).toBe(3)
  })

  it('lets its caller give up a body that streams', async () => {
    let signal: AbortSignal | undefined
    const { read } = cachedShelf(
      (_, inside) => {
        signal = inside.signal
        return { kind: 'contents', contents: [{ uri: 'x:1', bytes: { size: 1, open: async function* () {} } }] }
      },
      { ttlMs: 0 },
    )
    for (const ends of [false, true]) {
      const caller = new AbortController()
      const reading = (await read('x:1', {}, localCall({ signal: caller.signal }))) as Reading
      if (ends) await reading[Symbol.asyncDispose]!()
      caller.abort()
      expect(signal!.aborted).toBe(!ends)
    }
  })

  it('answers parts, versions and smaller limits out of the whole', async () => {
    const { asked, read } = cachedShelf(({ uri, range }) => {
      if (range !== undefined) return text(uri, 'part', { range: { offset: 0, length: 4, total: 9 } })
      return text(uri, 'abcdéf', { version: '7' })
    })
    expect(await body(read('x:1', { range: { offset: 0, length: 4 } }))).toBe('part')
    await read()
    expect(await read('x:1', { range: { offset: 3, length: 3 } })).toMatchObject({
      contents: [{ bytes: Uint8Array.of(0x64, 0xc3, 0xa9) }],
      range: { offset: 3, length: 3, total: 7 },
      version: '7',
    })
    expect(await read('x:1', { ifVersion: '7' })).toEqual({ kind: 'unchanged', version: '7' })
    expect(await body(read('x:1', { ifVersion: '6' }))).toBe('abcdéf')
    expect(await failure(read('x:1', { maxBytes: 6 }))).toMatchObject({ code: 'too-large', details: { size: 7, limit: 6 } })
    expect(asked).toEqual(['read x:1', 'read x:1'])
  })

  it('never keeps questions, their answers, errors, parts, `unchanged`, and pages that are not whole', async () => {
    const results: Record<string, () => ReadResult> = {
      'x:q': () => ({ kind: 'input-required', state: 1 }),
      'x:a': () => text('x:a', 'answered'),
      'x:n': () => {
        throw notFound('x:n')
      },
      'x:e': () => {
        throw new ShelfError('unavailable', 'Later', {})
      },
      'x:u': () => ({ kind: 'unchanged', version: '1' }),
      'x:r': () => text('x:r', 'part', { range: { offset: 0, length: 4, total: 9 } }),
    }
    const { asked, read } = cachedShelf(({ uri }) => results[uri]!())
    for (const uri of Object.keys(results)) {
      const more = uri === 'x:a' ? { answers: { responses: {} } } : {}
      await Promise.allSettled([read(uri, more)])
      await Promise.allSettled([read(uri, more)])
    }
    expect(asked).toEqual(Object.keys(results).flatMap((uri) => [`read ${uri}`, `read ${uri}`]))
    let pages = 0
    const source: Provider = {
      ...counted(() => text('x:1', '')).provider,
      list: async () => ({ items: [], notices: [{ level: 'info', message: `${++pages}` }] }),
    }
    const partial = cache({ ttlMs: 100 })(source)
    await partial.list({ limit: 1 }, call)
    await partial.list({ limit: 1 }, call)
    expect(pages).toBe(2)
  })

  it('gives each caller a question of its own', async () => {
    let states = 0
    const { read } = cachedShelf(async () => ({ kind: 'input-required', state: ++states }))
    expect(await Promise.all([read(), read()])).toEqual([
      { kind: 'input-required', state: 1 },
      { kind: 'input-required', state: 2 },
    ])
  })

  it('gives everybody what nobody else can change', async () => {
    const bytes = Uint8Array.of(1, 2)
    const odd = JSON.parse('{"__proto__":{"a":[1]}}') as Record<string, unknown>
    const { library, read } = cachedShelf(({ uri }) => ({
      kind: 'contents',
      contents: [
        { uri, bytes, _meta: odd },
        { uri, text: 'one' },
      ],
    }))
    const first = (await read()) as Reading
    bytes[0] = 9
    const given = first.contents[0] as { bytes: Uint8Array }
    given.bytes[1] = 9
    const second = (await read()) as Reading
    expect(second.contents).toEqual([
      { uri: 'x:1', bytes: Uint8Array.of(1, 2), _meta: odd },
      { uri: 'x:1', text: 'one' },
    ])
    const parts = (await read('x:1', { range: { offset: 0 } })) as Reading
    ;(parts.contents[0] as { bytes: Uint8Array }).bytes[0] = 9
    expect(((await read()) as Reading).contents[0]).toMatchObject({ bytes: Uint8Array.of(1, 2) })
    const page = await library.list({ limit: 1 }, call)
    expect(() => (page.items as unknown[]).push(1)).toThrow(TypeError)
    expect(() => ((page.items[0]!._meta as { tags: string[] }).tags[0] = 'b')).toThrow(TypeError)
  })

  it('tells progress to whoever asked to know', async () => {
    const { asked, read } = cachedShelf(({ uri }, inside) => {
      inside.progress?.(1, 2)
      return text(uri, 'one')
    })
    const told: number[] = []
    const waits = { ...localCall(), progress: (done: number) => told.push(done) }
    await Promise.all([read('x:1', {}, waits), read('x:1', {}, waits)])
    expect([told, asked.length]).toEqual([[1, 1], 2])
    await read('x:1', {}, waits)
    expect(asked).toHaveLength(2)
  })

  it('lets go of what was used longest ago', async () => {
    const { asked, read } = cachedShelf(({ uri }) => text(uri, 'é'.repeat(400)), { maxBytes: 8_000 })
    for (const n of [1, 2, 3, 1, 4, 5, 6, 1, 2]) await read(`x:${n}`)
    expect(asked.filter((line) => line === 'read x:1')).toHaveLength(1)
    expect(asked.filter((line) => line === 'read x:2')).toHaveLength(2)
  })

  it('ends with a deadline for one, and answers the others', async () => {
    const clock = createFakeClock()
    const answer = settleable<ReadResult>()
    const { provider } = counted(() => answer.promise)
    const library = createLibrary({ name: 'acme' })
      .mount(provider)
      .use(deadline({ ms: 10, clock }))
      .use(cache({ ttlMs: 100, clock }))
    const read = () => library.read({ uri: 'x:1', maxBytes: 9 }, localCall())
    const late = failure(read())
    clock.advance(5)
    const early = body(read())
    clock.advance(5)
    expect(await late).toMatchObject({ code: 'timeout' })
    answer.resolve(text('x:1', 'one'))
    expect(await early).toBe('one')
  })

  it.each([
    [{ ttlMs: -1 }, 'ttlMs'],
    [{ ttlMs: Number.NaN }, 'ttlMs'],
    [{ notFoundMs: Infinity }, 'notFoundMs'],
    [{ maxBytes: -1 }, 'maxBytes'],
  ])('refuses %j', (options, option) => {
    expect(() => cache(options)).toThrow(expect.objectContaining({ code: 'invalid-option', details: { option } }))
  })
})
