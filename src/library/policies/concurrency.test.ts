import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/library/reading.ts'
import { createFakeClock } from '../../testing/index.ts'
import type { Principal } from '../call.ts'
import { localCall } from '../call.ts'
import { createLibrary } from '../library.ts'
import type { Provider, Reading } from '../provider.ts'
import type { ConcurrencyOptions } from './concurrency.ts'
import { concurrency } from './concurrency.ts'

const named = (id: string, kind: Principal['kind'] = 'authenticated') =>
  ({ principal: { id, kind, scopes: [], claims: {} } }) as const
const callOf = (id: string, kind?: Principal['kind']) => localCall(named(id, kind))

/** A Library whose reads end when they are told to. */
function slow(options: ConcurrencyOptions) {
  const clock = createFakeClock()
  const ends: (() => void)[] = []
  const shelf = createLibrary({ name: 'acme' })
    .resource('x:1', () => new Promise((resolve) => void ends.push(() => resolve('one'))))
    .use(concurrency({ clock, ...options }))
  const read = (call = localCall()) => shelf.read({ uri: 'x:1', maxBytes: 10 }, call)
  return { clock, ends, shelf, read }
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('concurrency()', () => {
  it('holds the slot of a read until its Reading is disposed, once', async () => {
    const { ends, read } = slow({ total: 1 })
    const first = read()
    void read()
    void read()
    await turns()
    expect(ends).toHaveLength(1)
    ends[0]!()
    const reading = (await first) as Reading
    await turns()
    expect(ends).toHaveLength(1)
    await reading[Symbol.asyncDispose]!()
    await reading[Symbol.asyncDispose]!()
    await turns()
    expect(ends).toHaveLength(2)
  })

  it('disposes what it wraps, and gives the slot back even if that fails', async () => {
    const log: string[] = []
    const shelf = createLibrary({ name: 'acme' })
      .resource('x:1', () => ({
        kind: 'contents',
        contents: [{ uri: 'x:1', text: '' }],
        [Symbol.asyncDispose]: async () => {
          log.push('disposed')
          throw new Error('no')
        },
      }))
      .use(concurrency({ total: 1, queue: 0 }))
    for (let i = 0; i < 2; i++) {
      const reading = (await shelf.read({ uri: 'x:1', maxBytes: 1 }, localCall())) as Reading
      await expect(reading[Symbol.asyncDispose]!()).rejects.toThrow('no')
    }
    expect(log).toEqual(['disposed', 'disposed'])
  })

  it('gives the slot back after whatever else an operation ends with', async () => {
    const provider: Provider = {
      name: 'p',
      prefixes: ['x:'],
      list: async () => ({ items: [] }),
      read: async ({ uri }) => (uri === 'x:q' ? { kind: 'input-required' } : { kind: 'unchanged', version: '1' }),
      stat: () => {
        throw new Error('at once')
      },
    }
    const shelf = concurrency({ total: 1, queue: 0 })(provider)
    for (let i = 0; i < 2; i++) {
      await shelf.list({ limit: 1 }, localCall())
      await shelf.read({ uri: 'x:q', maxBytes: 1 }, localCall())
      await shelf.read({ uri: 'x:1', maxBytes: 1 }, localCall())
      await expect(shelf.stat!({ uri: 'x:1' }, localCall())).rejects.toThrow('at once')
    }
  })

  it('bounds each authenticated principal, all anonymous ones together, and the local one by the total alone', async () => {
    const { ends, read } = slow({ perPrincipal: 2, total: 9 })
    for (let i = 0; i < 3; i++) {
      for (const call of [callOf('alice'), callOf('anonymous'), callOf(`nobody${i}`, 'anonymous')]) void read(call)
    }
    await turns()
    expect(ends).toHaveLength(6)
    for (let i = 0; i < 4; i++) void read()
    await turns()
    expect(ends).toHaveLength(9)
  })

  it('is `busy` beyond the queue, and says for how long by what slots were held for', async () => {
    const { clock, ends, read } = slow({ total: 2, queue: 1 })
    const begun = [read(), read()]
    void read()
    expect(await failure(read())).toMatchObject({
      code: 'busy',
      message: 'Too many requests are under way; try again later',
      details: { retryAfterMs: 1000 },
    })
    clock.advance(9000)
    for (const end of ends) end()
    for (const reading of begun) await ((await reading) as Reading)[Symbol.asyncDispose]!()
    await turns()
    void read()
    void read()
    // Two of 9 seconds beside the second that it begins with, a share of an eighth each: 2875 ms.
    expect(await failure(read())).toMatchObject({ details: { retryAfterMs: 2875 } })
  })

  it('lets a waiter whose caller gives up leave at once, and listens to none that has its turn', async () => {
    const { ends, read } = slow({ total: 1, queue: 1 })
    const first = read()
    const caller = new AbortController()
    const waiting = failure(read(localCall({ signal: caller.signal })))
    await turns()
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    caller.abort()
    const second = read()
    expect(await waiting).toMatchObject({ code: 'cancelled' })
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    expect(await failure(read(localCall({ signal: caller.signal })))).toMatchObject({ code: 'cancelled' })
    ends[0]!()
    await ((await first) as Reading)[Symbol.asyncDispose]!()
    await turns()
    ends[1]!()
    expect(await second).toMatchObject({ kind: 'contents' })
  })

  it('is `busy` for a waiter that waited too long, whose room is free again', async () => {
    const { clock, read } = slow({ total: 1, queue: 1, waitMs: 500 })
    void read()
    const waiting = failure(read())
    await turns()
    clock.advance(500)
    expect(await waiting).toMatchObject({ code: 'busy' })
    void read()
    await turns()
    clock.advance(499)
    expect(await failure(read())).toMatchObject({ code: 'busy' })
  })

  it('bounds each provider that it is put round', async () => {
    const policy = concurrency({ perProvider: 1 })
    const begun: string[] = []
    const stuck = (name: string): Provider => ({
      name,
      prefixes: [`${name}:`],
      list: async () => ({ items: [] }),
      read: ({ uri }) => {
        begun.push(uri)
        return new Promise(() => undefined)
      },
    })
    const shelf = createLibrary({ name: 'acme' })
      .mount(policy(stuck('a')))
      .mount(policy(stuck('b')))
    for (const uri of ['a:1', 'a:2', 'b:1', 'b:2']) void shelf.read({ uri, maxBytes: 1 }, localCall())
    await turns()
    expect(begun).toEqual(['a:1', 'b:1'])
  })

  it('lets none of a thousand readers in beyond the limits, and all in at last', async () => {
    let [now, most] = [0, 0]
    const shelf = createLibrary({ name: 'acme' })
      .resource('x:1', async () => {
        most = Math.max(most, ++now)
        await turns()
        now--
        return 'one'
      })
      .use(concurrency({ total: 7, perPrincipal: 3, queue: 1000 }))
    const all = Array.from({ length: 1000 }, async (_, i) => {
      const reading = (await shelf.read({ uri: 'x:1', maxBytes: 3 }, callOf(`p${i % 5}`))) as Reading
      await reading[Symbol.asyncDispose]!()
    })
    await Promise.all(all)
    expect([now, most]).toEqual([0, 7])
  })

  it.each([
    ['total', 0],
    ['perPrincipal', 1.5],
    ['perProvider', -1],
    ['queue', Number.NaN],
    ['waitMs', Infinity],
  ])('refuses %s of %d', (option, value) => {
    expect(() => concurrency({ [option]: value })).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: { option } }),
    )
  })
})
