import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLibrary, definePolicy, notFound, ShelfError } from '../../src/index.ts'
import type { Library, Provider, ReadRequest } from '../../src/index.ts'
import type { ByteRange, ByteSource } from '../../src/library/index.ts'
import { files } from '../../src/providers/files/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { call, failure } from './reading.ts'

async function collect(bytes: Uint8Array | ByteSource): Promise<Buffer> {
  if (bytes instanceof Uint8Array) return Buffer.from(bytes)
  const pieces = []
  for await (const piece of bytes.open()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A read of one part: its bytes, and which part the answer says it is. */
async function part(library: Provider, uri: string, range: ByteRange, maxBytes = 1_000) {
  const result = await library.read({ uri, maxBytes, range }, call)
  if (result.kind !== 'contents') throw new Error(`no contents: ${result.kind}`)
  const [contents] = result.contents
  if (contents === undefined) throw new Error('no contents')
  const bytes = 'text' in contents ? Buffer.from(contents.text) : await collect(contents.bytes)
  await result[Symbol.asyncDispose]?.()
  const { version, range: given } = result
  return { uri: contents.uri, mimeType: contents.mimeType, bytes, version, given }
}

describe('Library.read() of a range', () => {
  const shelf = () =>
    createLibrary({ name: 'acme' })
      .resource('a:text', () => 'aé😀b')
      .resource('a:json', async () => ({ ok: true }))
      .resource('a:versioned', () => ({ kind: 'contents', contents: [{ uri: 'a:versioned', text: 'abcdef' }], version: 'v1' }))
      .resource('a:two', () => [
        { uri: 'a:two', text: 'one' },
        { uri: 'a:two/2', text: 'two' },
      ])
      .resource('a:own', ({ range, maxBytes }) => ({
        kind: 'contents',
        contents: [{ uri: 'a:own', text: `${range?.offset} ${range?.length} ${maxBytes}` }],
        range: { offset: 7, length: 5, total: 99 },
      }))
      .template('t:{x}', { mimeType: 'text/x' }, ({ x }) => x)

  it('cuts what a handler returns whole', async () => {
    const library = shelf()
    const ranges: readonly (readonly [string, ByteRange, string, object])[] = [
      ['a:text', { offset: 1, length: 6 }, 'é😀', { offset: 1, length: 6, total: 8 }],
      ['a:json', { offset: 1, length: 4 }, '"ok"', { offset: 1, length: 4, total: 11 }],
      ['t:tea', { offset: 1 }, 'ea', { offset: 1, length: 2, total: 3 }],
      ['a:versioned', { offset: 4, length: 9 }, 'ef', { offset: 4, length: 2, total: 6 }],
    ]
    for (const [uri, range, text, given] of ranges) {
      expect(await part(library, uri, range)).toMatchObject({ uri, bytes: Buffer.from(text), given })
    }
    expect(await part(library, 't:tea', { offset: 1 })).toMatchObject({ mimeType: 'text/x' })
    expect(await part(library, 'a:versioned', { offset: 1 })).toMatchObject({ version: 'v1' })
  })

  it('leaves a part as its handler gave it, and what is more than one body', async () => {
    const library = shelf()
    expect(await part(library, 'a:own', { offset: 7, length: 5 })).toMatchObject({
      bytes: Buffer.from('7 5 1000'),
      given: { offset: 7, length: 5, total: 99 },
    })
    expect(await part(library, 'a:two', { offset: 1, length: 1 })).toMatchObject({ bytes: Buffer.from('one'), given: undefined })
  })

  it('counts the part against the limit, not the whole', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:big', () => 'x'.repeat(5_000))
    expect(await part(library, 'a:big', { offset: 4_999, length: 9 })).toMatchObject({ given: { length: 1, total: 5_000 } })
    expect(await failure(part(library, 'a:big', { offset: 1 }))).toMatchObject({
      code: 'too-large',
      details: { size: 4_999, limit: 1_000 },
    })
  })

  it('goes through mounts, qualified ones and Libraries in Libraries, and so does a version', async () => {
    const asked: ReadRequest[] = []
    const provider: Provider = {
      name: 'p',
      prefixes: ['x:'],
      list: async () => ({ items: [] }),
      read: async (request) => {
        asked.push(request)
        if (request.ifVersion === 'v2') return { kind: 'unchanged', version: 'v2' }
        return {
          kind: 'contents',
          contents: [{ uri: request.uri, bytes: Uint8Array.of(2) }],
          version: 'v2',
          range: { offset: 1, length: 1, total: 3 },
        }
      },
    }
    const inner = createLibrary({ name: 'inner' }).mount(provider, { at: 'b' })
    const outer = createLibrary({ name: 'outer' }).mount(inner, { at: 'a' })
    const range = { offset: 1, length: 1 }
    expect(await outer.read({ uri: 'a+b+x:1', maxBytes: 9, range, ifVersion: 'v1' }, call)).toEqual({
      kind: 'contents',
      contents: [{ uri: 'a+b+x:1', bytes: Uint8Array.of(2) }],
      version: 'v2',
      range: { offset: 1, length: 1, total: 3 },
    })
    expect(await outer.read({ uri: 'a+b+x:1', maxBytes: 9, ifVersion: 'v2' }, call)).toEqual({ kind: 'unchanged', version: 'v2' })
    expect(asked).toEqual([
      { uri: 'x:1', maxBytes: 9, range, ifVersion: 'v1' },
      { uri: 'x:1', maxBytes: 9, ifVersion: 'v2' },
    ])
  })
})

describe('a policy and a range', () => {
  const seen: unknown[] = []
  const shelf = (parts: boolean) => {
    seen.length = 0
    return createLibrary({ name: 'acme' })
      .mount(memory({ name: 'm', prefixes: ['m:'], resources: [{ uri: 'm:1', text: 'the secret is é' }] }))
      .use(
        definePolicy({
          name: 'redact',
          parts,
          reading: (result, request) => {
            seen.push(request.range)
            if (result.kind !== 'contents') return result
            const contents = result.contents.map((one) =>
              'text' in one ? { ...one, text: one.text.replace('secret', '-') } : one,
            )
            return { ...result, contents }
          },
        }),
      )
  }

  it('of which the policy sees the whole, and the caller a part of what it made of that', async () => {
    const library = shelf(false)
    const pieces = []
    for (let offset = 0; offset < 11; offset += 5) {
      const { bytes, given } = await part(library, 'm:1', { offset, length: 5 })
      expect(given).toMatchObject({ offset, total: 11 })
      pieces.push(bytes)
    }
    expect(Buffer.concat(pieces).toString()).toBe('the - is é')
    expect(seen).toEqual([undefined, undefined, undefined])
    expect(await failure(part(library, 'm:1', { offset: 0, length: 5 }, 15))).toMatchObject({
      code: 'too-large',
      details: { size: 16, limit: 15 },
    })
  })

  it('are left to a policy that takes parts', async () => {
    const library = shelf(true)
    expect(await part(library, 'm:1', { offset: 4, length: 6 })).toMatchObject({
      bytes: Buffer.from('secret'),
      given: { offset: 4, length: 6, total: 16 },
    })
    expect(seen).toEqual([{ offset: 4, length: 6 }])
  })
})

describe('Library.read() of all ranges, one after the other', () => {
  const libraryOf = async (body: Uint8Array): Promise<Library> => {
    const tree = await temporaryTree({ 'a.bin': body, 'b.txt': body })
    const held = memory({ name: 'held', prefixes: ['m:'], resources: [{ uri: 'm:a', bytes: body }] })
    const source: ByteSource = {
      size: body.length,
      async *open({ offset, length = body.length } = { offset: 0 }) {
        const end = Math.min(body.length, offset + length)
        for (let at = offset; at < end; at += 3) yield body.subarray(at, Math.min(end, at + 3))
      },
    }
    return createLibrary({ name: 'acme' })
      .mount(files({ root: tree.root, name: 'r' }))
      .mount(createLibrary({ name: 'team' }).mount(held), { at: 'team' })
      .resource('own:bytes', () => body)
      .resource('own:text', () => Buffer.from(body).toString('latin1'))
      .resource('own:stream', () => [{ uri: 'own:stream', bytes: source }])
  }
  const uris = ['file:///r/a.bin', 'file:///r/b.txt', 'team+m:a', 'own:bytes', 'own:stream', 'own:text']

  it.each(uris)('%s comes out whole', async (uri) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 }),
        async (body, lengths) => {
          const library = await libraryOf(body)
          const whole = uri === 'own:text' ? Buffer.from(Buffer.from(body).toString('latin1')) : Buffer.from(body)
          const pieces: Buffer[] = []
          let offset = 0
          let total = Number.POSITIVE_INFINITY
          for (let i = 0; offset < total; i++) {
            const length = lengths[i % lengths.length]!
            const { bytes, given } = await part(library, uri, { offset, length }, length)
            expect(given).toEqual({ offset, length: Math.min(length, whole.length - offset), total: whole.length })
            pieces.push(bytes)
            offset += bytes.length
            total = whole.length
          }
          expect(Buffer.concat(pieces).equals(whole)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('Library.stat()', () => {
  const without = (read: Provider['read']): Library =>
    createLibrary({ name: 'acme' }).mount(
      { name: 'p', prefixes: ['x:'], list: async () => ({ items: [] }), read },
      { at: 'team' },
    )

  it('asks a source that has none for nothing of the body, and tells what came with it', async () => {
    const asked: ReadRequest[] = []
    const library = without(async (request) => {
      asked.push(request)
      return {
        kind: 'contents',
        contents: [{ uri: request.uri, mimeType: 'text/x', bytes: new Uint8Array() }],
        version: 'v1',
        hint: { ttlMs: 5, cacheScope: 'public' },
        range: { offset: 0, length: 0, total: 7 },
      }
    })
    expect(await library.stat({ uri: 'team+x:a/b' }, call)).toEqual({
      resource: { uri: 'team+x:a/b', name: 'b', mimeType: 'text/x', size: 7 },
      version: 'v1',
      hint: { ttlMs: 5, cacheScope: 'public' },
    })
    expect(asked).toEqual([{ uri: 'x:a/b', maxBytes: 0, range: { offset: 0, length: 0 } }])
  })

  it('finds what such a source will not read for its size, and nothing that is not there', async () => {
    const large = without(async () => {
      throw new ShelfError('too-large', 'The note has 9 bytes, the limit is 0', { size: 9, limit: 0 })
    })
    expect(await large.stat({ uri: 'team+x:a' }, call)).toEqual({ resource: { uri: 'team+x:a', name: 'a' } })
    const absent = without(async ({ uri }) => {
      throw notFound(uri)
    })
    expect(await failure(absent.stat({ uri: 'team+x:a' }, call))).toMatchObject({
      code: 'not-found',
      details: { uri: 'team+x:a' },
    })
  })
})
