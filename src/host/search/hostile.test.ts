import { describe, expect, it } from 'vitest'
import { opened, uris } from '../../../test/host/opened-search.ts'
import { scripted, text } from '../../../test/host/scripted-provider.ts'
import { ShelfError } from '../../errors.ts'
import { localCall } from '../../library/index.ts'
import type { Page, Reading } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { META_SERVER } from '../../protocol/index.ts'
import { createFakeClock } from '../../testing/index.ts'
import { openSearch } from './index.ts'

const call = localCall()

describe('openSearch(), of a server that means no good,', () => {
  it('takes as many resources as it may, and says that there are more', async () => {
    const notices: string[] = []
    const list = async ({ after = 0, limit }: { readonly after?: unknown; readonly limit: number }): Promise<Page<Resource>> => ({
      items: Array.from({ length: limit }, (_, i) => ({ uri: `x:${Number(after) + i}`, name: 'n', mimeType: 'image/png' })),
      next: Number(after) + limit,
    })
    await using search = await opened(scripted({ list }).provider, {
      maxResources: 2_500,
      onNotice: ({ message }) => notices.push(message),
    })
    expect(search.size).toBe(2_500)
    expect(notices).toEqual([
      'There are more resources than the 2500 or the 134217728 bytes that are indexed: the rest is left out',
    ])
  })

  it('stops at a list that repeats itself, or has empty pages, without an end', async () => {
    const notices: string[] = []
    let pages = 0
    const list = async (): Promise<Page<Resource>> => ({ items: pages++ % 2 === 0 ? [text('a')] : [], next: pages })
    await using search = await opened(scripted({ list }).provider, { onNotice: ({ message }) => notices.push(message) })
    expect([search.size, pages]).toEqual([1, 65])
    expect(notices).toEqual(['The list has no end: what it repeats is left out'])
  })

  it('holds little of what is long, and nothing of what is odd', async () => {
    const long = 'long '.repeat(200_000)
    const items = [
      { uri: 'x:1', name: long, title: long, description: long, mimeType: long, icons: [{ src: long }], _meta: { long } },
      { uri: `x:${long}`, name: 'a' },
      { uri: '', name: 'b' },
      { uri: 7, name: 'c' },
      null,
      {
        uri: 'x:2',
        name: { toString: () => 'd' },
        size: -1,
        annotations: { audience: ['all', 'user'], priority: 7, lastModified: 5 },
      },
      { uri: '\ud800', name: '\udc00 lone' },
      { uri: 'x:__proto__', name: '__proto__', title: 'constructor', description: 'hasOwnProperty toString' },
    ] as Resource[]
    await using search = await opened(scripted({ items }).provider)
    expect(search.size).toBe(4)
    const [first, second] = search.search('')
    expect(JSON.stringify(first?.resource).length).toBeLessThan(4_000)
    expect(second?.resource).toEqual({ uri: 'x:2', name: '', annotations: { audience: ['user'] } })
    expect(uris(search, 'lone')).toEqual(['\ud800'])
    for (const query of ['__proto__', 'constructor', 'hasOwnProperty', 'to_string'])
      expect(uris(search, query)).toEqual(['x:__proto__'])
    expect(search.search('proto')[0]?.terms).toEqual(['proto'])
    expect(Object.prototype).not.toHaveProperty('0')
  })

  it('takes so many words and no more, and goes on finding those it has', async () => {
    const notices: string[] = []
    const items = Array.from({ length: 300 }, (_, i) => text(`w${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`))
    const { provider, tell } = scripted({ list: async () => ({ items }) })
    await using search = await opened(provider, { maxTerms: 100, onNotice: ({ message }) => notices.push(message) })
    expect(search.size).toBe(300)
    expect(uris(search, 'waa')).toEqual(['x:waa'])
    expect(uris(search, 'wzk', { limit: 1 })).not.toEqual(['x:wzk'])
    expect(notices).toEqual(['There are more than 100 different words: what nobody used before is not found any more'])
    items.length = 0
    tell({ kind: 'list' })
    await search.upToDate()
    expect([search.size, uris(search, 'waa')]).toEqual([0, []])
  })

  it('is ready, and up to date, though the list is said to change with every look at it', async () => {
    const { provider, tell } = scripted({
      list: async () => {
        tell({ kind: 'list' })
        return { items: [text('a')] }
      },
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: 'apple' }] }),
    })
    await using search = await opened(provider)
    expect(uris(search, 'apple')).toEqual(['x:a'])
    await search.upToDate()
  })

  it('is ready, and up to date, though a text changes with every look at it', async () => {
    let reads = 0
    const { provider, tell } = scripted({
      items: [text('a'), text('b')],
      read: async ({ uri }) => {
        reads++
        tell({ kind: 'updated', uri: 'x:a' })
        return { kind: 'contents', contents: [{ uri, text: `body${uri.slice(2)}` }] }
      },
    })
    await using search = await opened(provider)
    expect([uris(search, 'bodya'), uris(search, 'bodyb')]).toEqual([['x:a'], ['x:b']])
    const before = reads
    await search.upToDate()
    expect(reads).toBeGreaterThan(before)
  })

  it('does not wait for each of the many answers that a server keeps to itself', async () => {
    const clock = createFakeClock()
    const of = (server: string, count: number): Resource[] =>
      Array.from({ length: count }, (_, i) => ({ ...text(`${server}${i}`), _meta: { [META_SERVER]: server } }))
    let isMute = true
    const asked: string[] = []
    const { provider } = scripted({
      items: [...of('mute', 50), ...of('good', 5)],
      read: ({ uri }) => {
        asked.push(uri)
        const reading: Reading = { kind: 'contents', contents: [{ uri, text: 'words' }] }
        return uri.startsWith('x:mute') && isMute ? new Promise(() => undefined) : Promise.resolve(reading)
      },
    })
    await using search = await openSearch(provider, call, { clock, concurrency: 1, timeoutMs: 1_000 })
    const muteAsked = (): string[] => asked.filter((uri) => uri.startsWith('x:mute'))
    for (let i = 1; i <= 3; i++) {
      await expect.poll(() => muteAsked().length).toBe(i)
      clock.advance(1_000)
    }
    await search.ready
    expect(muteAsked()).toEqual(['x:mute0', 'x:mute1', 'x:mute2'])
    expect(search.progress).toMatchObject({ contents: 5, failed: 50, waiting: 0 })
    isMute = false
    clock.advance(30_000)
    await search.upToDate()
    expect(search.progress).toMatchObject({ contents: 55, failed: 0 })
  })

  it('counts what a server gives up by itself as failed', async () => {
    const { provider } = scripted({
      items: [text('a')],
      read: async () => {
        throw new ShelfError('cancelled', 'Mine', {})
      },
    })
    await using search = await opened(provider)
    expect(search.progress).toMatchObject({ contents: 0, failed: 1 })
  })

  it('reads no more what is said to be no text any longer', async () => {
    let items: readonly Resource[] = [{ uri: 'x:a', name: 'a' }]
    const { provider, tell } = scripted({
      list: async () => ({ items }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '# An apple' }] }),
    })
    await using search = await opened(provider)
    expect(uris(search, 'apple')).toEqual(['x:a'])
    items = [{ uri: 'x:a', name: 'a', mimeType: 'application/octet-stream' }]
    tell({ kind: 'list' })
    await search.upToDate()
    expect([uris(search, 'apple'), search.get('x:a')?.kind]).toEqual([[], 'other'])
  })

  it('lets others have their turn', async () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ uri: `x:${i}`, name: `name${i}`, mimeType: 'image/png' }))
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await using search = await opened(scripted({ items }).provider)
    clearInterval(timer)
    expect(search.size).toBe(20_000)
    expect(turns).toBeGreaterThan(5)
  })

  it('takes contents that are not what they should be for failures', async () => {
    const answers: readonly unknown[] = [
      undefined,
      { kind: 'contents', contents: [] },
      { kind: 'contents', contents: [{ uri: 'x:2', text: 7 }] },
      { kind: 'input-required' },
      { kind: 'contents', contents: [{ uri: 'x:4', bytes: Uint8Array.of(0xff) }] },
      { kind: 'contents', contents: [{ uri: 'x:5', bytes: new TextEncoder().encode('decoded') }] },
      { kind: 'contents', contents: [{ uri: 'x:6', text: `${'filler '.repeat(100)}beyond` }] },
    ]
    const { provider } = scripted({
      items: answers.map((_, i) => text(String(i))),
      read: async ({ uri }) => answers[Number(uri.slice(2))] as Reading,
    })
    await using search = await opened(provider, { perResourceBytes: 500 })
    expect(search.progress).toMatchObject({ contents: 2, skipped: 4, failed: 1, contentsBytes: expect.any(Number) })
    expect([uris(search, 'decoded'), uris(search, 'filler'), uris(search, 'beyond')]).toEqual([['x:5'], ['x:6'], []])
  })
})
