import { describe, expect, it, vi } from 'vitest'
import { localCall } from '../../library/index.ts'
import type { Notice, Reading } from '../../library/index.ts'
import type { Resource, ResourceTemplate } from '../../protocol/index.ts'
import { META_SERVER } from '../../protocol/index.ts'
import { memory } from '../../providers/memory/index.ts'
import { createFakeClock } from '../../testing/index.ts'
import { opened, uris } from '../../../test/host/opened-search.ts'
import { scripted, text } from '../../../test/host/scripted-provider.ts'
import { openSearch } from './index.ts'

const call = localCall()

describe('openSearch()', () => {
  const shelf = () =>
    memory({
      resources: [
        { uri: 'book://cooking', title: 'Cooking at home', description: 'Soups and stews', text: 'Peel the onions first.' },
        { uri: 'book://gardens.md', name: 'Gardens', text: '# Growing onions\nWater them daily.' },
        { uri: 'code://src/parseAnswer.ts', text: 'export function parseHttpAnswer(body: string) {}' },
        { uri: 'book://z%C3%BCrich', title: 'Stadtführer', text: 'Brücken und Gassen' },
        { uri: 'book://資料', name: '図書館の目録', text: '利用者は本を借りる' },
        { uri: 'picture://onion.png', bytes: Uint8Array.of(0, 1) },
      ],
    })

  it('finds by name, title, description, URI and contents, and says where and what', async () => {
    await using search = await opened(shelf())
    expect(search.search('onions')).toEqual([
      {
        resource: { uri: 'picture://onion.png', name: 'onion.png', mimeType: 'image/png', size: 2 },
        kind: 'image',
        score: expect.any(Number),
        terms: ['onion'],
        fields: ['name', 'uri'],
      },
      expect.objectContaining({
        resource: expect.objectContaining({ uri: 'book://cooking' }),
        terms: ['onion'],
        fields: ['contents'],
      }),
      expect.objectContaining({
        resource: expect.objectContaining({ uri: 'book://gardens.md' }),
        kind: 'markdown',
        fields: ['contents'],
      }),
    ])
    expect(search.search('stew')[0]).toMatchObject({ resource: { uri: 'book://cooking' }, fields: ['description'] })
    expect(uris(search, 'parse_http_answer')).toEqual(['code://src/parseAnswer.ts'])
    expect(uris(search, 'STADTFUHRER')).toEqual(['book://z%C3%BCrich'])
    expect(uris(search, '図書')).toEqual(['book://資料'])
    expect(uris(search, '借りる')).toEqual(['book://資料'])
    expect(uris(search, 'nothing like that')).toEqual([])
    expect(search.size).toBe(6)
    expect(search.progress).toEqual({
      resources: 6,
      templates: 0,
      contents: 5,
      contentsBytes: expect.any(Number),
      skipped: 0,
      failed: 0,
      waiting: 0,
    })
  })

  it('takes words of which questions are built for less than what is asked for', async () => {
    await using search = await opened(
      memory({
        resources: [
          { uri: 'book://how-it-works', text: 'It works.' },
          { uri: 'book://security', text: 'Keys are rotated on Mondays.' },
        ],
      }),
    )
    expect(uris(search, 'how are keys rotated')).toEqual(['book://security', 'book://how-it-works'])
    expect(uris(search, 'how it')).toEqual(['book://how-it-works'])
  })

  it('forgives mistakes in words that nothing has, and takes the beginning of a word for it', async () => {
    await using search = await opened(shelf())
    expect(uris(search, 'gardnes oninos')).toContain('book://gardens.md')
    expect(uris(search, 'cookin')).toEqual(['book://cooking'])
    expect(uris(search, 'cok')).toEqual([])
  })

  it('gives all that the filters leave to a blank query, in order, at most as many as asked for', async () => {
    await using search = await opened(shelf())
    expect(uris(search, ' ', { scheme: 'BOOK', limit: 2 })).toEqual(['book://cooking', 'book://gardens.md'])
    expect(uris(search, '', { kinds: ['image'] })).toEqual(['picture://onion.png'])
    expect(uris(search, '!?')).toEqual([])
    expect(() => search.search('x', { limit: -1 })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  it('follows what is added, changed and removed', async () => {
    const provider = shelf()
    await using search = await opened(provider)
    provider.add({ uri: 'book://new', text: 'A treatise on whales' })
    await search.upToDate()
    expect(uris(search, 'whales')).toEqual(['book://new'])
    provider.update('book://new', { text: 'A treatise on dolphins', title: 'Sea' })
    await search.upToDate()
    expect(uris(search, 'whales')).toEqual([])
    expect(uris(search, 'dolphins')).toEqual(['book://new'])
    expect(search.search('sea')[0]).toMatchObject({ resource: { uri: 'book://new', title: 'Sea' } })
    provider.remove('book://new')
    await search.upToDate()
    expect(uris(search, 'dolphins')).toEqual([])
    expect(search.size).toBe(6)
  })

  it('finds templates', async () => {
    const templates: readonly ResourceTemplate[] = [
      { uriTemplate: 'ticket://{id}', name: 'ticket', description: 'A ticket of the help desk' },
      { uriTemplate: 'a+log://{day}', name: 'log', _meta: { [META_SERVER]: 'a' } },
    ]
    const { provider, tell } = scripted({ templates: async () => ({ items: templates }) })
    await using search = await opened(provider)
    expect(search.templates('help desk')).toEqual([
      { template: templates[0], score: expect.any(Number), terms: ['help', 'desk'], fields: ['description'] },
    ])
    expect(search.templates('ticket log day', { server: 'a' }).map(({ template }) => template.name)).toEqual(['log'])
    expect(search.progress.templates).toBe(2)
    provider.templates = async () => ({ items: templates.slice(1) })
    tell({ kind: 'list' })
    await search.upToDate()
    expect(search.templates('ticket')).toEqual([])
  })

  it('loses no change that happens while it reads or lists', async () => {
    let body = 'first'
    let title = 'Old'
    const { provider, tell } = scripted({
      list: async () => {
        const items = [{ ...text('a'), title }]
        title = 'New'
        tell({ kind: 'updated', uri: 'x:a' })
        return { items }
      },
      stat: async () => ({ resource: { ...text('a'), title } }),
      read: async ({ uri }) => {
        const reading: Reading = { kind: 'contents', contents: [{ uri, text: body }] }
        if (body === 'first') {
          body = 'second'
          tell({ kind: 'updated', uri })
        }
        return reading
      },
    })
    await using search = await opened(provider)
    await search.upToDate()
    expect(uris(search, 'first')).toEqual([])
    expect(uris(search, 'second')).toEqual(['x:a'])
    expect(uris(search, 'new')).toEqual(['x:a'])
  })

  it('looks again at what changes while the page that has it is on its way', async () => {
    const { provider, tell } = scripted({
      list: async () => {
        tell({ kind: 'updated', uri: 'x:a' })
        return { items: [{ ...text('a'), title: 'Old' }] }
      },
      stat: async () => ({ resource: { ...text('a'), title: 'New' } }),
    })
    await using search = await opened(provider)
    expect(search.search('').map(({ resource }) => resource.title)).toEqual(['New'])
  })

  it('reads all again when changes may have been missed, and only below the place that is told', async () => {
    let body = 'before'
    const { provider, tell } = scripted({
      items: [text('a/1'), text('b/1')],
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: body }] }),
    })
    await using search = await opened(provider)
    body = 'after'
    tell({ kind: 'lost', under: 'x:a' })
    await search.upToDate()
    expect([uris(search, 'before'), uris(search, 'after')]).toEqual([['x:b/1'], ['x:a/1']])
    tell({ kind: 'lost' })
    await search.upToDate()
    expect(uris(search, 'before')).toEqual([])
  })

  it('asks for changes of what it read, where they must be asked for, and of no more than it may', async () => {
    const added: string[] = []
    const removed: string[] = []
    let items = ['a', 'b', 'c'].map(text)
    const { provider, tell } = scripted({ list: async () => ({ items }) })
    const watch = provider.watch!.bind(provider)
    provider.watch = async (onChange) => ({
      ...(await watch(onChange)),
      add: async (uri) => void added.push(uri),
      remove: (uri) => void removed.push(uri),
    })
    await using search = await opened(provider, { watchedUris: 2 })
    expect(added).toEqual(['x:a', 'x:b'])
    items = items.slice(1)
    tell({ kind: 'list' })
    await search.upToDate()
    expect(removed).toEqual(['x:a'])
  })

  it('reads only texts that are small enough, at most four at a time, and within its bytes', async () => {
    const read: string[] = []
    let [now, most] = [0, 0]
    const provider = memory({
      resources: [
        { uri: 'x:picture.png', bytes: Uint8Array.of(1) },
        { uri: 'x:large.txt', text: 'large '.repeat(100) },
        ...Array.from({ length: 10 }, (_, i) => ({ uri: `x:${i}.txt`, text: `word${'0123456789'.charAt(i)} `.repeat(10) })),
      ],
    })
    const really = provider.read.bind(provider)
    provider.read = async (request, asked) => {
      read.push(request.uri)
      most = Math.max(most, ++now)
      await new Promise((resolve) => {
        setTimeout(resolve, 1)
      })
      now--
      return really(request, asked)
    }
    await using search = await opened(provider, { perResourceBytes: 100, contentsBytes: 500 })
    expect(read).not.toContain('x:picture.png')
    expect(read).not.toContain('x:large.txt')
    expect(most).toBe(4)
    expect(search.progress).toMatchObject({ contents: 4, skipped: 7, failed: 0 })
    expect(search.progress.contentsBytes).toBeLessThanOrEqual(500)
  })

  it('counts what cannot be read, and reads it when the list is walked again', async () => {
    let isBroken = true
    const { provider, tell } = scripted({
      items: [text('a'), text('b')],
      read: async ({ uri }) => {
        if (isBroken && uri === 'x:a') throw new Error('broken')
        return { kind: 'contents', contents: [{ uri, text: 'mended' }] }
      },
    })
    await using search = await opened(provider)
    expect(search.progress).toMatchObject({ resources: 2, contents: 1, failed: 1 })
    isBroken = false
    tell({ kind: 'list' })
    await search.upToDate()
    expect(uris(search, 'mended')).toEqual(['x:a', 'x:b'])
  })

  it('gives each server its turn, so that one with much does not take all the room', async () => {
    const of = (server: string, count: number): Resource[] =>
      Array.from({ length: count }, (_, i) => ({ ...text(`${server}${i}`), _meta: { [META_SERVER]: server } }))
    const order: string[] = []
    const { provider } = scripted({
      items: [...of('big', 100), ...of('small', 2)],
      read: async ({ uri }) => {
        order.push(uri)
        return { kind: 'contents', contents: [{ uri, text: '' }] }
      },
    })
    await using search = await opened(provider, { concurrency: 1 })
    expect(order.slice(0, 4)).toEqual(['x:big0', 'x:small0', 'x:big1', 'x:small1'])
    expect(uris(search, '', { server: 'small' })).toEqual(['x:small0', 'x:small1'])
  })

  it('ends what it reads when it is disposed, listens no more, and finds nothing', async () => {
    let ended = 0
    const { provider, listeners } = scripted({
      items: [text('a'), text('b')],
      read: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended++
            reject(signal.reason as Error)
          })
        }),
    })
    const search = await openSearch(provider, call)
    await expect.poll(() => search.progress.waiting === 0 && search.size === 2).toBe(true)
    expect(uris(search, 'a')).toEqual(['x:a'])
    await search[Symbol.asyncDispose]()
    await expect(search.ready).rejects.toMatchObject({ code: 'cancelled' })
    expect([ended, listeners.size, search.size, search.search('a')]).toEqual([2, 0, 0, []])
    await search[Symbol.asyncDispose]()
  })

  it.each(['signal', 'call'])('ends with its signal or that of the call: %s', async (which) => {
    const controller = new AbortController()
    const { provider, listeners } = scripted({ list: () => new Promise(() => undefined) })
    const signal = controller.signal
    const search =
      which === 'call' ? await openSearch(provider, localCall({ signal })) : await openSearch(provider, call, { signal })
    controller.abort()
    await expect(search.ready).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => listeners.size).toBe(0)
  })

  it('gives up what does not answer, and disposes what comes later', async () => {
    const clock = createFakeClock()
    let late: ((reading: Reading) => void) | undefined
    let disposed = 0
    const { provider } = scripted({
      items: [text('a')],
      read: () =>
        new Promise((resolve) => {
          late = resolve
        }),
    })
    await using search = await openSearch(provider, call, { clock, timeoutMs: 1_000 })
    await expect.poll(() => late).toBeDefined()
    clock.advance(1_000)
    await search.ready
    expect(search.progress).toMatchObject({ resources: 1, failed: 1 })
    late?.({ kind: 'contents', contents: [], [Symbol.asyncDispose]: async () => void disposed++ })
    await expect.poll(() => disposed).toBe(1)
  })

  it('walks the list again after a failure, later and later', async () => {
    const clock = createFakeClock()
    const notices: Notice[] = []
    let lists = 0
    const { provider } = scripted({
      list: async () => {
        if (++lists < 3) throw new Error('secret')
        return { items: [text('a')] }
      },
    })
    await using search = await openSearch(provider, call, { clock, onNotice: (notice) => notices.push(notice) })
    await search.ready
    expect(notices.map(({ message }) => message)).toEqual(['The list could not be walked to its end: internal'])
    clock.advance(30_000)
    await search.upToDate()
    clock.advance(59_999)
    await search.upToDate()
    expect([lists, search.size]).toEqual([2, 0])
    clock.advance(1)
    await search.upToDate()
    expect([lists, search.size]).toEqual([3, 1])
  })

  it('goes on without changes where the provider cannot be watched', async () => {
    const notices: string[] = []
    const { provider } = scripted({ items: [text('a')], watch: async () => Promise.reject(new Error('no')) })
    await using search = await opened(provider, { onNotice: ({ message }) => notices.push(message) })
    expect([search.size, notices]).toEqual([1, ['Changes will not be heard of: the provider could not be watched']])
  })

  it('refuses limits that are none', async () => {
    await expect(openSearch(memory(), call, { maxResources: -1 })).rejects.toMatchObject({ code: 'invalid-option' })
    await expect(openSearch(memory(), call, { timeoutMs: Number.NaN })).rejects.toMatchObject({ code: 'invalid-option' })
  })

  it('does not care what its listeners throw', async () => {
    const onProgress = vi.fn<() => void>(() => {
      throw new Error('mine')
    })
    await using search = await opened(shelf(), { onProgress })
    expect(search.size).toBe(6)
    expect(onProgress).toHaveBeenLastCalledWith(search.progress)
  })
})
