import { describe, expect, it } from 'vitest'
import { createLibrary, localCall, ShelfError } from '../../src/index.ts'
import { connect } from '../spec/engine.ts'
import { settle } from '../spec/recording-sink.ts'

const INTERNAL = { code: -32603, message: 'Internal error' }

async function read(handler: () => unknown, onError: (error: unknown) => void = () => undefined) {
  const connection = await connect(createLibrary({ name: 'acme' }).resource('x:1', handler), { onError })
  return connection.modern('resources/read', { uri: 'x:1' })
}

describe('Peer answers whatever a handler throws', () => {
  it.each([
    ['an object without a prototype', Object.create(null), INTERNAL],
    ['nothing', undefined, INTERNAL],
    ['a ShelfError with a code of its own', new ShelfError('odd' as 'internal', 'm', {}), INTERNAL],
    ['a ShelfError with the code of an inherited property', new ShelfError('constructor' as 'internal', 'm', {}), INTERNAL],
    [
      'a ShelfError whose details JSON cannot carry',
      new ShelfError('too-large', 'Too large', { size: 10n as unknown as number, limit: 1 }),
      { code: 10_413, message: 'Too large' },
    ],
  ])('Peer answers when a handler throws %s', async (_what, thrown: unknown, error) => {
    const answer = await read(() => {
      throw thrown
    })
    expect(answer?.error).toEqual(error)
  })

  it('Peer answers when the report of an error fails too', async () => {
    const answer = await read(
      () => {
        throw new Error('first')
      },
      () => {
        throw new Error('second')
      },
    )
    expect(answer?.error).toEqual(INTERNAL)
  })
})

describe('Peer survives what a handler returns', () => {
  it.each([
    [
      'rejects',
      async () => {
        throw new Error('stuck')
      },
    ],
    [
      'throws',
      () => {
        throw new Error('stuck')
      },
    ],
  ])('Peer reports a Reading whose disposal %s', async (_how, dispose: () => Promise<void>) => {
    const reported: unknown[] = []
    const answer = await read(
      () => ({ kind: 'contents', contents: [{ uri: 'x:1', text: 'a' }], [Symbol.asyncDispose]: dispose }),
      (error) => reported.push(error),
    )
    await settle()
    expect(answer?.result?.['contents']).toEqual([{ uri: 'x:1', text: 'a' }])
    expect(reported.map(String)).toEqual(['Error: stuck'])
  })

  it('contentsOutcome() disposes a Reading that cannot be sent', async () => {
    let disposed = 0
    const answer = await read(() => ({
      kind: 'contents',
      contents: [{ uri: 'x:1', text: 5 }],
      [Symbol.asyncDispose]: async () => void disposed++,
    }))
    expect([answer?.error, disposed]).toEqual([INTERNAL, 1])
  })

  it.each([-5, Number.NaN, 1.5, undefined])('contentsOutcome() refuses bytes of size %s', async (size) => {
    const answer = await read(() => ({
      kind: 'contents',
      contents: [{ uri: 'x:1', bytes: { size, open: async function* () {} } }],
    }))
    expect(answer?.error).toEqual(INTERNAL)
  })

  it('contentsOutcome() holds providers to the read limit that they were told', async () => {
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => ({
      kind: 'contents',
      contents: [
        { uri: 'x:1', text: 'ééé' },
        { uri: 'x:1', bytes: new Uint8Array(5) },
      ],
    }))
    const tight = await connect(library, { limits: { maxRead: 10 } })
    expect((await tight.modern('resources/read', { uri: 'x:1' }))?.error).toEqual({
      code: 10_413,
      message: 'The resource has 11 bytes; the limit is 10',
      data: { size: 11, limit: 10 },
    })
    const enough = await connect(library, { limits: { maxRead: 11 } })
    expect((await enough.modern('resources/read', { uri: 'x:1' }))?.error).toBe(undefined)
  })

  it.each([
    [{ ttlMs: Number.NaN, cacheScope: 'private' }, 0, 'private'],
    [{ ttlMs: -1, cacheScope: 'public' }, 0, 'public'],
    [{ ttlMs: Number.POSITIVE_INFINITY, cacheScope: '","x":"' }, 9_007_199_254_740_991, 'private'],
  ])('modernFrame() writes the hint %j as valid JSON', async (hint, ttlMs, cacheScope) => {
    const answer = await read(() => ({ kind: 'contents', contents: [{ uri: 'x:1', text: 'a' }], hint }))
    expect(answer?.result).toMatchObject({ ttlMs, cacheScope })
  })

  it.each([
    ['an ArrayBuffer', Uint8Array.of(1, 2, 3).buffer, 3],
    ['an array of 16-bit numbers', Uint16Array.of(1, 2), 4],
    ['a part of a buffer', new DataView(new ArrayBuffer(9), 2, 5), 5],
  ])('toReadResult() takes %s for bytes', async (_what, value, size) => {
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => value)
    const result = await library.read({ uri: 'x:1', maxBytes: 10 }, localCall())
    expect(result).toMatchObject({
      kind: 'contents',
      contents: [{ mimeType: 'application/octet-stream', bytes: { length: size } }],
    })
  })
})
