import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/library/reading.ts'
import { memory } from '../../providers/memory/index.ts'
import { localCall } from '../call.ts'
import { createLibrary } from '../library.ts'
import type { ByteRange, ByteSource, Contents, Provider, Reading } from '../provider.ts'
import type { Redaction } from './redact.ts'
import { redact } from './redact.ts'

const call = localCall()
const token = `ghp_${'aB3dE5gH'.repeat(5)}`
const own = { patterns: [{ name: 'own', text: 'sésame' }] }

/** A body that comes in pieces of some length, and counts how often it is read. */
function streamed(bytes: Uint8Array, piece: number, size = bytes.length) {
  let opened = 0
  const source: ByteSource = {
    size,
    open: async function* () {
      opened++
      for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
    },
  }
  return { source, opened: () => opened }
}

const provider = (...contents: readonly Contents[]): Provider => ({
  name: 'p',
  prefixes: 'any',
  list: async () => ({ items: contents.map(({ uri }) => ({ uri, name: 'x', size: 1 })) }),
  read: async () => ({ kind: 'contents', contents, version: '7' }),
})

const one = (body: { text: string } | { bytes: Uint8Array | ByteSource }, mimeType?: string): Contents => ({
  uri: 'x:1',
  ...(mimeType !== undefined && { mimeType }),
  ...body,
})

async function read(source: Provider, range?: ByteRange, maxBytes = 1_000_000): Promise<Reading> {
  const result = await source.read({ uri: 'x:1', maxBytes, ...(range && { range }) }, call)
  if (result.kind !== 'contents') throw new Error(result.kind)
  return result
}

/** The bytes of a read in Latin-1. */
function latin1(reading: Reading): string {
  const [first] = reading.contents
  if (first === undefined || 'text' in first || !('byteLength' in first.bytes)) throw new Error('no bytes')
  return Buffer.from(first.bytes).toString('latin1')
}

const utf16 = (text: string, big: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return big ? bytes.swap16() : bytes
}

describe('redact()', () => {
  it('replaces secrets in text, and tells how many there were', async () => {
    const told: Redaction[] = []
    const text = `a ${token} b ${token} c password=hunter`
    const shelf = redact({ onRedact: (redaction) => told.push(redaction) })(
      provider({ uri: 'x:1', mimeType: 'text/plain', text, _meta: { own: 1 } }, { uri: 'x:2', text: 'nothing' }),
    )
    expect(await read(shelf)).toEqual({
      kind: 'contents',
      version: '7',
      contents: [
        {
          uri: 'x:1',
          mimeType: 'text/plain',
          text: 'a [redacted:github-token] b [redacted:github-token] c password=[redacted:password]',
          _meta: { own: 1, 'dev.shelfmark/redacted': 3 },
        },
        { uri: 'x:2', text: 'nothing' },
      ],
    })
    expect(told).toEqual([
      { uri: 'x:1', name: 'github-token', count: 2 },
      { uri: 'x:1', name: 'password', count: 1 },
    ])
  })

  it('looks for what it is told to, and lets nobody fail who counts', async () => {
    const shelf = (options: Parameters<typeof redact>[0]) =>
      redact({
        ...options,
        onRedact: () => {
          throw new Error('no')
        },
      })(provider(one({ text: `${token} sésame password=hunter` })))
    expect(await read(shelf({ ...own, known: ['password'] }))).toMatchObject({
      contents: [{ text: `${token} [redacted:own] password=[redacted:password]` }],
    })
    expect(await read(shelf({ known: [] }))).toMatchObject({ contents: [{ text: `${token} sésame password=hunter` }] })
    // oxlint-disable-next-line typescript/no-unsafe-argument -- what a program without types may give
    expect(() => redact({ known: ['toString' as never] })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  it.each([
    ['UTF-8', Buffer.from(`é ${token}`), 'Ã© [redacted:github-token]'],
    ['Latin-1', Buffer.from(`é ${token} é`, 'latin1'), 'é [redacted:github-token] é'],
    ['bytes of no encoding', Buffer.concat([Buffer.of(0, 0xff, 0xc3), Buffer.from(token)]), '\0ÿÃ[redacted:github-token]'],
    ['Latin-1, of one’s own', Buffer.from('é sésame', 'latin1'), 'é [redacted:own]'],
    ['UTF-8 with NUL, of one’s own', Buffer.from('é\0sésame é'), 'Ã©\0[redacted:own] Ã©'],
  ])('finds secrets in %s that comes as bytes', async (_, bytes, redacted) => {
    const reading = await read(redact(own)(provider(one({ bytes }, 'application/octet-stream'))))
    expect(latin1(reading)).toBe(redacted)
    expect(reading.contents[0]!._meta).toEqual({ 'dev.shelfmark/redacted': 1 })
  })

  it.each([
    [false, '\ufeff'],
    [true, '\ufeff'],
    [false, ''],
    [true, ''],
  ])('finds secrets in UTF-16, big endian: %s, behind %j', async (big, mark) => {
    const bytes = utf16(`${mark}é ${token} sésame`, big)
    const reading = await read(redact(own)(provider(one({ bytes }, 'text/plain'))))
    const expected = utf16(`${mark}é [redacted:github-token] [redacted:own]`, big)
    expect(latin1(reading)).toBe(expected.toString('latin1'))
  })

  it('gives the bytes that it looked at', async () => {
    const { source, opened } = streamed(Buffer.from('harmless'), 3)
    const reading = await read(redact()(provider(one({ bytes: source }))))
    expect(latin1(reading)).toBe('harmless')
    expect(opened()).toBe(1)
  })

  it.each([
    ['image/png', true],
    ['video/mp4', true],
    ['audio/ogg', true],
    ['font/woff2', true],
    ['IMAGE/PNG; x=xml', true],
    ['image/svg+xml', false],
    ['application/pdf', false],
    [undefined, false],
  ])('passes bytes of the type %s on as they come: %s', async (mimeType, passed) => {
    const { source, opened } = streamed(Buffer.from(token), 8)
    const reading = await read(redact()(provider(one({ bytes: source }, mimeType))))
    expect(opened()).toBe(passed ? 0 : 1)
    if (!passed) expect(latin1(reading)).toBe('[redacted:github-token]')
  })

  it('refuses what is too large to be looked into, and what replacing makes too large', async () => {
    let disposed = 0
    const source = (contents: Contents): Provider => ({
      ...provider(),
      read: async () => ({ kind: 'contents', contents: [contents], [Symbol.asyncDispose]: async () => void disposed++ }),
    })
    const { source: bytes, opened } = streamed(new Uint8Array(11), 4)
    const small = redact({ maxBytes: 10 })
    for (const contents of [one({ bytes }), one({ text: '-'.repeat(11) })]) {
      expect(await failure(read(small(source(contents))))).toMatchObject({ code: 'too-large', details: { size: 11, limit: 10 } })
    }
    const grown = redact()(source(one({ text: 'password=abcd' })))
    expect(await failure(read(grown, undefined, 20))).toMatchObject({ code: 'too-large', details: { size: 28, limit: 20 } })
    expect([disposed, opened()]).toEqual([3, 0])
  })

  it.each([
    [9, 'A source of 9 bytes gave more'],
    [11, 'A source of 11 bytes gave 10'],
    [-1, 'x:1 came with -1 as its number of bytes'],
    [Number.NaN, 'x:1 came with NaN as its number of bytes'],
  ])('refuses a source that says it has %s bytes and has 10', async (size, message) => {
    const { source } = streamed(new Uint8Array(10), 5, size)
    expect(await failure(read(redact()(provider(one({ bytes: source })))))).toMatchObject({ code: 'internal', message })
  })

  it('ends with the caller', async () => {
    const caller = new AbortController()
    const bytes: ByteSource = {
      size: 2,
      open: async function* () {
        yield new Uint8Array(1)
        caller.abort()
        yield new Uint8Array(1)
      },
    }
    const shelf = redact()(provider(one({ bytes })))
    const reading = shelf.read({ uri: 'x:1', maxBytes: 9 }, localCall({ signal: caller.signal }))
    expect(await failure(reading)).toMatchObject({ code: 'cancelled' })
  })

  it('says nothing of sizes that it would change', async () => {
    const shelf = createLibrary({ name: 'acme' })
      .mount(
        memory({
          resources: [
            { uri: 'x:1', text: token },
            { uri: 'x:2', bytes: Buffer.of(1, 2), mimeType: 'image/png' },
          ],
        }),
      )
      .use(redact())
    const sizes = async () => (await shelf.list({ limit: 9 }, call)).items.map((item) => item.size)
    expect(await sizes()).toEqual([undefined, 2])
    expect((await shelf.stat({ uri: 'x:1' }, call)).resource).toEqual({ uri: 'x:1', name: '1', mimeType: 'text/plain' })
    expect((await shelf.stat({ uri: 'x:2' }, call)).resource.size).toBe(2)
  })

  it('leaves `unchanged` and questions as they are', async () => {
    for (const result of [
      { kind: 'unchanged', version: '7' },
      { kind: 'input-required', state: token },
    ] as const) {
      const shelf = redact()({ ...provider(), read: async () => result })
      expect(await shelf.read({ uri: 'x:1', maxBytes: 9, ifVersion: '7' }, call)).toBe(result)
    }
  })

  it('never lets a planted secret through, whatever the encoding, the pieces and the ranges', async () => {
    const plants = fc.constantFrom(token, `AKIAABCDEFGHIJ234567`, `npm_${'x9'.repeat(18)}`)
    const noise = fc.string({ unit: fc.constantFrom('a', ' ', '=', '\n', '.', 'é'), maxLength: 20 }).map((text) => `${text}\n`)
    const encodings = fc.constantFrom<BufferEncoding | 'utf16be'>('utf8', 'latin1', 'utf16le', 'utf16be')
    await fc.assert(
      fc.asyncProperty(
        plants,
        noise,
        noise,
        encodings,
        fc.nat(9),
        fc.nat(30),
        async (secret, before, after, encoding, piece, step) => {
          const text = before + secret + after
          const encoded = encoding === 'utf16be' ? utf16(text, true) : Buffer.from(text, encoding)
          const { source } = streamed(encoded, piece + 1)
          const shelf = redact()(provider(one({ bytes: source })))
          const whole = latin1(await read(shelf))
          const parts: string[] = []
          for (let offset = 0; offset < whole.length; offset += step + 1) {
            const reading = await read(shelf, { offset, length: step + 1 })
            expect(reading.range).toMatchObject({ offset, total: whole.length })
            parts.push(latin1(reading))
          }
          expect(parts.join('')).toBe(whole)
          const plain = whole.replaceAll('\0', '')
          expect(plain).not.toContain(secret)
          expect(plain).toContain('[redacted:')
        },
      ),
      { numRuns: 200 },
    )
  })
})
