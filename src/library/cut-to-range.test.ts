import { describe, expect, it } from 'vitest'
import { cutToRange } from './cut-to-range.ts'
import type { ByteRange, ByteSource, Contents, Reading } from './provider.ts'

const uri = 'test:a'
const ask = (range: ByteRange, maxBytes = 100) => ({ uri, range, maxBytes })
const reading = (...contents: readonly Contents[]): Reading => ({ kind: 'contents', contents })

/** Bytes as a stream, of any part. */
function source(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async *open({ offset, length = bytes.length } = { offset: 0 }) {
      yield bytes.subarray(offset, offset + length)
    },
  }
}

async function collect(bytes: Uint8Array | ByteSource, range?: ByteRange): Promise<readonly number[]> {
  if (bytes instanceof Uint8Array) return [...bytes]
  const found: number[] = []
  for await (const piece of bytes.open(range)) found.push(...piece)
  return found
}

describe('cutToRange()', () => {
  it('cuts text by its bytes in UTF-8, half a surrogate pair as what is sent for it', async () => {
    const text = { uri, mimeType: 'text/plain', _meta: { k: 1 }, text: 'aé😀\ud800' }
    expect(await cutToRange(reading(text), ask({ offset: 1, length: 3 }))).toEqual({
      kind: 'contents',
      contents: [{ uri, mimeType: 'text/plain', _meta: { k: 1 }, bytes: Uint8Array.of(0xc3, 0xa9, 0xf0) }],
      range: { offset: 1, length: 3, total: 10 },
    })
    expect(await cutToRange(reading(text), ask({ offset: 7 }))).toMatchObject({
      contents: [{ bytes: Uint8Array.of(0xef, 0xbf, 0xbd) }],
      range: { offset: 7, length: 3, total: 10 },
    })
  })

  it.each<[ByteRange, object, readonly number[]]>([
    [{ offset: 0 }, { offset: 0, length: 5, total: 5 }, [0, 1, 2, 3, 4]],
    [{ offset: 1, length: 2 }, { offset: 1, length: 2, total: 5 }, [1, 2]],
    [{ offset: 3, length: 9 }, { offset: 3, length: 2, total: 5 }, [3, 4]],
    [{ offset: 2, length: 0 }, { offset: 2, length: 0, total: 5 }, []],
    [{ offset: 5, length: 1 }, { offset: 5, length: 0, total: 5 }, []],
    [{ offset: Number.MAX_SAFE_INTEGER, length: Number.MAX_SAFE_INTEGER }, { offset: 5, length: 0, total: 5 }, []],
  ])('cuts %j out of bytes and of a stream alike', async (range, given, bytes) => {
    const body = Uint8Array.of(0, 1, 2, 3, 4)
    for (const whole of [body, source(body)]) {
      const part = await cutToRange(reading({ uri, bytes: whole }), ask(range))
      expect(part.range).toEqual(given)
      const [contents] = part.contents
      expect(contents && 'bytes' in contents && (await collect(contents.bytes))).toEqual(bytes)
    }
  })

  it.each([['text', { text: 'x'.repeat(1_000) }] as const, ['bytes', { bytes: Buffer.alloc(1_000) }] as const])(
    'does not keep all of the %s for a part of it',
    async (_what, body) => {
      const part = await cutToRange(reading({ uri, ...body }), ask({ offset: 10, length: 3 }))
      const { bytes } = part.contents[0] as { bytes: Uint8Array }
      expect([bytes.length, bytes.buffer.byteLength]).toEqual([3, 3])
    },
  )

  it('cuts a part of a stream into parts again', async () => {
    const part = await cutToRange(reading({ uri, bytes: source(Uint8Array.of(0, 1, 2, 3, 4, 5)) }), ask({ offset: 1, length: 4 }))
    const { bytes } = part.contents[0] as { bytes: ByteSource }
    expect(bytes.size).toBe(4)
    expect(await collect(bytes, { offset: 1, length: 2 })).toEqual([2, 3])
    expect(await collect(bytes, { offset: 3, length: 99 })).toEqual([4])
  })

  it('leaves alone what is a part already, what is more than one body, and what has no range to keep to', async () => {
    const part = { ...reading({ uri, text: 'b' }), range: { offset: 1, length: 1, total: 3 } }
    expect(await cutToRange(part, ask({ offset: 1, length: 1 }))).toBe(part)
    const two = reading({ uri, text: 'a' }, { uri: 'test:b', text: 'b' })
    expect(await cutToRange(two, ask({ offset: 1, length: 1 }))).toBe(two)
    const whole = reading({ uri, text: 'abc' })
    expect(await cutToRange(whole, { uri, maxBytes: 3 })).toBe(whole)
  })

  it('refuses a part that is too large, and lets go of what the reading holds', async () => {
    let disposed = 0
    const held = (contents: Contents): Reading => ({
      ...reading(contents),
      [Symbol.asyncDispose]: async () => void disposed++,
    })
    await expect(cutToRange(held({ uri, text: 'abcdef' }), ask({ offset: 1 }, 4))).rejects.toMatchObject({
      code: 'too-large',
      message: 'The range has 5 bytes and the limit is 4; ask for a shorter one',
      details: { size: 5, limit: 4 },
    })
    const odd = { uri, bytes: { ...source(new Uint8Array(9)), size: Number.NaN } }
    await expect(cutToRange(held(odd), ask({ offset: 1, length: 1 }, 4))).rejects.toMatchObject({ code: 'internal' })
    expect(disposed).toBe(2)
    const part = await cutToRange(held({ uri, text: 'abcdef' }), ask({ offset: 2, length: 4 }, 4))
    await part[Symbol.asyncDispose]?.()
    expect(disposed).toBe(3)
  })
})
