import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import { createLibrary, localCall } from '../../library/index.ts'
import type { MemoryItem } from '../../providers/memory/index.ts'
import { memory } from '../../providers/memory/index.ts'
import type { ResourceToolsOptions, ToolResult } from './index.ts'
import { openResourceTools } from './index.ts'

const call = localCall()
const PNG = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='),
  (c) => c.charCodeAt(0),
)

function reader(provider: Provider, options?: ResourceToolsOptions) {
  const tools = openResourceTools(provider, options)
  onTestFinished(() => tools[Symbol.asyncDispose]())
  return (uri: string, offset?: number) => tools.run('read_resource', { uri, ...(offset !== undefined && { offset }) }, call)
}

const holding = (...resources: readonly MemoryItem[]): Provider => memory({ resources })
const texts = ({ content }: ToolResult): readonly string[] => content.flatMap((one) => (one.type === 'text' ? [one.text] : []))

describe('read_resource', () => {
  it('gives a short text as it is', async () => {
    expect(await reader(holding({ uri: 'note:a', text: 'Ä\n' }))('note:a')).toEqual({ content: [{ type: 'text', text: 'Ä\n' }] })
  })

  it('gives 64 KiB of a long one, and says how to read on, with the true total', async () => {
    const read = reader(holding({ uri: 'note:a', mimeType: 'text/plain', text: `a${'é'.repeat(50_000)}` }))
    const first = texts(await read('note:a'))
    expect(first[0]).toBe(`a${'é'.repeat(32_767)}`)
    expect(first[1]).toBe(
      '[Bytes 0 to 65535 of 100001 of note:a. To read on, call read_resource with this uri and offset 65535.]',
    )
    const rest = texts(await read('note:a', 65_535))
    expect(rest).toEqual(['é'.repeat(17_233), '[Bytes 65535 to 100001 of 100001 of note:a, its end.]'])
  })

  it('gives all of a text part by part, whatever its characters, and never half of one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }).filter((text) => !text.startsWith('\ufeff')),
        fc.integer({ min: 4, max: 20 }),
        fc.boolean(),
        async (text, textBytes, isBytes) => {
          const body = isBytes ? { bytes: new TextEncoder().encode(text) } : { text }
          const read = reader(holding({ uri: 'note:a', mimeType: 'text/plain', ...body }), { limits: { textBytes } })
          let all = ''
          for (let offset: number | undefined = 0; offset !== undefined;) {
            const [part, note] = texts(await read('note:a', offset)) as [string, string?]
            expect(part.isWellFormed()).toBe(true)
            all += part
            const next: string | undefined = /offset (\d+)\.\]$/.exec(note ?? '')?.[1]
            offset = next === undefined ? undefined : Number(next)
          }
          expect(all.replace('\ufffd', '')).toBe(text.replace('\0', '').replace('\ufffd', ''))
        },
      ),
    )
  })

  it('begins with the next character where an offset is inside of one', async () => {
    const read = reader(holding({ uri: 'note:a', mimeType: 'text/plain', text: 'a€b' }))
    expect(texts(await read('note:a', 2))).toEqual(['b', '[Bytes 4 to 5 of 5 of note:a, its end.]'])
  })

  it('says how long it is to who asks beyond the end', async () => {
    const read = reader(holding({ uri: 'note:a', text: 'abc' }, { uri: 'note:b', text: '' }))
    expect(texts(await read('note:a', 99))).toEqual(['[note:a ends before this offset: it has 3 bytes.]'])
    expect(texts(await read('note:b'))).toEqual(['[note:b is empty: 0 bytes.]'])
  })

  it('gives an image as one, by what its bytes show', async () => {
    const read = reader(holding({ uri: 'pic:a', mimeType: 'image/jpeg', bytes: PNG }))
    expect(await read('pic:a')).toEqual({
      content: [
        { type: 'text', text: '[pic:a, image/png, 70 bytes:]' },
        { type: 'image', mimeType: 'image/png', data: Buffer.from(PNG).toString('base64') },
      ],
    })
  })

  it('gives an image of more bytes than a text may have', async () => {
    const bytes = new Uint8Array(200_000)
    bytes.set(PNG)
    const { content } = await reader(holding({ uri: 'pic:a', mimeType: 'image/png', bytes }))('pic:a')
    expect(content[1]).toEqual({ type: 'image', mimeType: 'image/png', data: Buffer.from(bytes).toString('base64') })
  })

  it.each<[what: string, item: MemoryItem, size: number]>([
    [
      'an image that is too large',
      { uri: 'x:a', mimeType: 'image/png', bytes: Uint8Array.from([...PNG, ...new Uint8Array(99)]) },
      169,
    ],
    ['what only says that it is an image', { uri: 'x:a', mimeType: 'image/png', bytes: Uint8Array.of(1, 2) }, 2],
    ['a PDF', { uri: 'x:a', mimeType: 'application/pdf', bytes: new TextEncoder().encode('%PDF-1.7') }, 8],
    ['bytes of no type', { uri: 'x:a', mimeType: 'application/octet-stream', bytes: Uint8Array.of(0, 255, 0) }, 3],
  ])('names %s, and shows no base64', async (_what, item, size) => {
    expect(await reader(holding(item), { limits: { imageBytes: 100 } })('x:a')).toEqual({
      content: [
        {
          type: 'text',
          text: `[x:a, ${item.mimeType}, ${size} bytes: this is not text, and is not shown here. Reading it again gives the same. Tell the user where it is, or read something else.]`,
        },
        { type: 'resource_link', uri: 'x:a', name: 'a', mimeType: item.mimeType, size },
      ],
    })
  })

  it('shows bytes that are text as text', async () => {
    const bytes = new TextEncoder().encode('{"a": 1}')
    expect(texts(await reader(holding({ uri: 'x:a', mimeType: 'application/octet-stream', bytes }))('x:a'))).toEqual(['{"a": 1}'])
  })

  it('gives several contents one after the other, each under its URI', async () => {
    const library = createLibrary({ name: 'two' }).resource('x:all', () => [
      { uri: 'x:1', text: 'one' },
      { uri: 'x:2', mimeType: 'image/png', bytes: PNG },
    ])
    expect(texts(await reader(library)('x:all'))[0]).toMatch(
      /^\[x:1\]\none\n\n\[x:2\]\n\[x:2, image\/png, 70 bytes: this is not text/,
    )
  })

  it('disposes what it reads', async () => {
    let isDisposed = false
    const provider: Provider = {
      name: 'held',
      prefixes: 'any',
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({
        kind: 'contents',
        contents: [
          {
            uri,
            mimeType: 'text/plain',
            bytes: {
              size: 2,
              open: async function* () {
                yield Uint8Array.of(104, 105)
              },
            },
          },
        ],
        [Symbol.asyncDispose]: async () => {
          isDisposed = true
        },
      }),
    }
    expect(texts(await reader(provider)('x:a'))).toEqual(['hi'])
    expect(isDisposed).toBe(true)
  })

  it.each<[uri: string, said: RegExp]>([
    ['note:b', /^There is no resource note:b here\. Call find_resources with words of what you look for/],
    ['docs/a.md', /^There is no resource "docs\/a\.md": a URI begins with a scheme/],
    ['note:{id}', /^note:\{id\} is a URI template, not a URI\. Put values in place of the braces/],
    [`note:${'x'.repeat(8_000)}`, /^There is no resource note:x+… here\./],
    ['note:\u0000\n', /^There is no resource note: here\./],
  ])('says of %j what to try next, briefly', async (uri, said) => {
    const result = await reader(holding({ uri: 'note:a', text: '' }))(uri)
    expect(result.isError).toBe(true)
    expect(texts(result)[0]).toMatch(said)
    expect(texts(result)[0]?.length).toBeLessThan(1_500)
  })

  it('names what may have been meant, once it has an index', async () => {
    const provider = holding({ uri: 'note:guide/install.md', text: '' })
    const tools = openResourceTools(provider)
    onTestFinished(() => tools[Symbol.asyncDispose]())
    await tools.run('find_resources', { query: 'install' }, call)
    const result = await tools.run('read_resource', { uri: 'note:install.md' }, call)
    expect(texts(result)[0]).toMatch(/\nPerhaps one of these was meant:\nnote:guide\/install\.md$/)
  })

  it.each<[error: unknown, said: string, reported: number]>([
    [new ShelfError('busy', 'x', { retryAfterMs: 1_500 }), 'Too much was asked for at once. Try again in 2 seconds.', 0],
    [new ShelfError('timeout', 'x', { afterMs: 1 }), 'x:a did not answer in time. Try it once more, or read something else.', 0],
    [new ShelfError('refused', 'Closed\non Sunday', {}), 'x:a was refused: Closed on Sunday', 0],
    [
      new ShelfError('too-large', 'x', { size: 9, limit: 8 }),
      'x:a has 9 bytes, can only be read whole, and more than 8 bytes are not read. Look for a smaller resource with find_resources.',
      0,
    ],
    [
      new Error('password in /etc/secret'),
      'x:a cannot be read now: its source failed. Try it once more later, or read something else; other arguments will not help.',
      1,
    ],
  ])('says what %s means for a model, and nothing that is not meant for it', async (error, said, reported) => {
    const errors: unknown[] = []
    const provider: Provider = {
      name: 'failing',
      prefixes: 'any',
      list: async () => ({ items: [] }),
      read: async () => {
        throw error
      },
    }
    const result = await reader(provider, { onError: (one) => errors.push(one) })('x:a')
    expect(result).toEqual({ content: [{ type: 'text', text: said }], isError: true })
    expect(errors).toHaveLength(reported)
  })

  it('gives what is in a directory', async () => {
    const provider: Provider = {
      ...holding(),
      children: async ({ uri }) => {
        if (uri !== 'x:dir') throw new ShelfError('not-found', 'x', { uri })
        return { items: [{ uri: 'x:dir/a', name: 'a' }] }
      },
    }
    expect(texts(await reader(provider)('x:dir'))).toEqual(['[x:dir is a directory. It has:]\nx:dir/a\n  a'])
  })
})
