import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHub } from '../../src/client/index.ts'
import { openSearch } from '../../src/host/index.ts'
import type { ResourceSearch } from '../../src/host/index.ts'
import { createLibrary, localCall } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { files } from '../../src/providers/files/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'
import { temporaryTree } from '../temporary-tree.ts'

const call = localCall()

async function opened(provider: Provider, options: Parameters<typeof openSearch>[2] = {}): Promise<ResourceSearch> {
  const search = await openSearch(provider, call, options)
  onTestFinished(() => search[Symbol.asyncDispose]())
  await search.ready
  return search
}

const uris = (search: ResourceSearch, query: string, filters = {}): readonly string[] =>
  search.search(query, filters).map(({ resource }) => resource.uri)

describe('openSearch() over a Library', () => {
  it('finds what is in a folder and in memory, and follows both', async () => {
    const tree = await temporaryTree({
      'guide.md': '# Guide\nHow to borrow a telescope',
      'src/lens.ts': 'export const focalLength = 50',
      'moon.png': Uint8Array.of(0x89, 0x50),
    })
    const notes = memory({ name: 'notes', prefixes: ['note:'], resources: [{ uri: 'note:1', text: 'Return the telescope' }] })
    const library = createLibrary({ name: 'observatory' })
      .mount(files({ root: tree.root, name: 'sky' }))
      .mount(notes)
      .template('star://{name}', { title: 'A star by its name' }, ({ name }) => name)
    await library.start()
    onTestFinished(() => library[Symbol.asyncDispose]())
    const search = await opened(library)

    expect(uris(search, 'telescope').toSorted()).toEqual(['file:///sky/guide.md', 'note:1'])
    expect(uris(search, 'focal length')).toEqual(['file:///sky/src/lens.ts'])
    expect(uris(search, '', { kinds: ['image'] })).toEqual(['file:///sky/moon.png'])
    expect(uris(search, 'telescope', { scheme: 'note' })).toEqual(['note:1'])
    expect(search.templates('star').map(({ template }) => template.uriTemplate)).toEqual(['star://{name}'])

    await tree.write('guide.md', '# Guide\nHow to borrow a sextant')
    notes.update('note:1', { text: 'Return the astrolabe' })
    await expect.poll(() => uris(search, 'sextant'), { timeout: 20_000 }).toEqual(['file:///sky/guide.md'])
    await expect.poll(() => uris(search, 'astrolabe'), { timeout: 20_000 }).toEqual(['note:1'])
    expect(uris(search, 'telescope')).toEqual([])

    await tree.write('new/comet.md', 'A comet')
    await expect.poll(() => uris(search, 'comet'), { timeout: 20_000 }).toEqual(['file:///sky/new/comet.md'])
    await rm(join(tree.root, 'new'), { recursive: true })
    await expect.poll(() => uris(search, 'comet'), { timeout: 20_000 }).toEqual([])
  })

  it('finds for each caller what that caller may read', async () => {
    const { access } = await import('../../src/index.ts')
    const library = createLibrary({ name: 'desk' })
      .use(access({ rules: [{ deny: 'note:secret', who: 'authenticated' }, { allow: 'any' }] }))
      .resource('note:secret', () => 'a plan')
      .resource('note:open', () => 'a plan, too')
    const stranger = localCall({ principal: { id: 'ann', kind: 'authenticated', scopes: [], claims: {} } })
    await using hers = await openSearch(library, stranger)
    await hers.ready
    expect(uris(hers, 'plan')).toEqual(['note:open'])
    expect(uris(await opened(library), 'plan').toSorted()).toEqual(['note:open', 'note:secret'])
  })
})

describe('openSearch() over a Hub', () => {
  it('finds on all servers, tells them apart, and follows them', async () => {
    const handbook = memory({ resources: [{ uri: 'page:holidays', text: 'Thirty days of holidays' }] })
    const tickets = memory({ resources: [{ uri: 'ticket:7', title: 'Holidays are miscounted', text: 'Mine are 29' }] })
    const hub = openHub({
      servers: {
        handbook: () => connectMemory(createLibrary({ name: 'handbook' }).mount(handbook)),
        tickets: () => connectMemory(createLibrary({ name: 'tickets' }).mount(tickets)),
      },
    })
    onTestFinished(() => hub[Symbol.asyncDispose]())
    const search = await opened(hub)
    expect(uris(search, 'holidays')).toEqual(['handbook+page:holidays', 'tickets+ticket:7'])
    expect(uris(search, 'holidays', { server: 'handbook' })).toEqual(['handbook+page:holidays'])
    expect(uris(search, 'holidays', { scheme: 'ticket' })).toEqual(['tickets+ticket:7'])

    handbook.add({ uri: 'page:lunch', text: 'Lunch is at noon' })
    await expect.poll(() => uris(search, 'lunch'), { timeout: 20_000 }).toEqual(['handbook+page:lunch'])
    tickets.update('ticket:7', { text: 'Mine are thirty, after lunch' })
    await expect.poll(() => uris(search, 'lunch', { server: 'tickets' }), { timeout: 20_000 }).toEqual(['tickets+ticket:7'])
    tickets.remove('ticket:7')
    await expect.poll(() => uris(search, '', { server: 'tickets' }), { timeout: 20_000 }).toEqual([])
  })
})

describe('openSearch() over 100,000 resources', () => {
  it('stays within 4 KiB for each, finds any of them, and gives all back', { timeout: 300_000 }, async () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const heap = (): number => {
      gc()
      return process.memoryUsage().heapUsed
    }
    const topics = ['budget', 'contract', 'invoice', 'meeting', 'roadmap', 'survey', 'travel', 'vacation']
    const provider = memory({
      resources: Array.from({ length: 100_000 }, (_, i) => ({
        uri: `doc://team${i % 40}/${topics[i % 8]}/${i}.md`,
        title: `${topics[i % 8]} of team ${i % 40}, number ${i}`,
        description: `Written in ${2000 + (i % 25)}`,
        text: `Page ${i}`,
      })),
    })
    const before = heap()
    const search = await openSearch(provider, call)
    await search.ready
    expect(search.progress).toMatchObject({ resources: 100_000, contents: 100_000, failed: 0, skipped: 0 })
    expect((heap() - before) / 100_000).toBeLessThan(4 * 1024)
    expect(uris(search, 'page 73218', { limit: 1 })).toEqual(['doc://team18/invoice/73218.md'])
    expect(uris(search, 'vacation', { prefix: 'doc://team7', limit: 100_000 })).toHaveLength(2_500)
    await search[Symbol.asyncDispose]()
    expect((heap() - before) / 100_000).toBeLessThan(100)
    expect(search.size).toBe(0)
  })
})
