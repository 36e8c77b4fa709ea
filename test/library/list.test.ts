import { describe, expect, it } from 'vitest'
import { createLibrary, notFound } from '../../src/index.ts'
import type { Library, Page, Provider } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { call, text, uris } from './reading.ts'

describe('Library.list()', () => {
  it('gives all parts in one walk, without an empty page at the end', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('own:1', () => '')
      .resource('own:2', () => '')
      .template('t:{x}', { list: () => [{ x: '1' }, { x: '2' }] }, () => '')
      .mount(memory({ name: 'empty', resources: [] }))
      .mount(
        memory({
          name: 'm',
          resources: [
            { uri: 'm:1', text: '' },
            { uri: 'm:2', text: '' },
          ],
        }),
      )
    for (const limit of [1, 2, 3, 4, 6, 7]) {
      const seen: string[] = []
      let pages = 0
      let after: Page<unknown>['next']
      do {
        const page: Awaited<ReturnType<Library['list']>> = await library.list(
          { limit, ...(after !== undefined && { after }) },
          call,
        )
        expect(page.items.length).toBeGreaterThan(0)
        seen.push(...page.items.map((item) => item.uri))
        after = page.next
        pages++
      } while (after !== undefined)
      expect(seen).toEqual(['own:1', 'own:2', 't:1', 't:2', 'm:1', 'm:2'])
      expect(pages).toBe(Math.ceil(6 / limit))
    }
  })

  it('keeps its place when resources before it come and go', async () => {
    const library = createLibrary({ name: 'acme' })
    for (let i = 0; i < 10; i++) library.resource(`n:${i}`, () => '')
    const first = await library.list({ limit: 5 }, call)
    library.remove('n:1')
    library.remove('n:4')
    library.resource('n:10', () => '')
    const rest = await library.list({ limit: 100, after: first.next! }, call)
    expect(rest.items.map((item) => item.uri)).toEqual(['n:5', 'n:6', 'n:7', 'n:8', 'n:9', 'n:10'])
  })

  it('names a failed mount in a notice and gives the others, or rejects when strict or when all failed', async () => {
    const broken: Provider = {
      name: 'broken',
      prefixes: ['broken:'],
      list: () => Promise.reject(new Error('secret path')),
      read: ({ uri }) => Promise.reject(notFound(uri)),
    }
    const good = () => memory({ name: 'good', resources: [{ uri: 'good:1', text: '' }] })
    const page = await createLibrary({ name: 'acme' }).mount(broken).mount(good()).list({ limit: 10 }, call)
    expect(page.items.map((item) => item.uri)).toEqual(['good:1'])
    expect(page.notices).toEqual([
      { level: 'warning', provider: 'mount:broken', message: 'Left out: it failed', cause: new Error('secret path') },
    ])
    await expect(
      createLibrary({ name: 'acme', strict: true }).mount(broken).mount(good()).list({ limit: 10 }, call),
    ).rejects.toThrow('secret path')
    await expect(createLibrary({ name: 'acme' }).mount(broken).list({ limit: 10 }, call)).rejects.toThrow('secret path')
  })

  it('does not wait for a mount that takes longer than its budget', async () => {
    const slow: Provider = {
      name: 'slow',
      prefixes: ['slow:'],
      list: () => new Promise(() => undefined),
      read: ({ uri }) => Promise.reject(notFound(uri)),
    }
    const library = createLibrary({ name: 'acme', listBudgetMs: 20 })
      .mount(slow)
      .resource('a:b', () => '')
    const page = await library.list({ limit: 10 }, call)
    expect(page.items.map((item) => item.uri)).toEqual(['a:b'])
    expect(page.notices).toEqual([{ level: 'warning', provider: 'mount:slow', message: 'Left out: no answer within 20 ms' }])
  })

  it('lets go of an enumeration that has no end, in lists and in completion', async () => {
    let ended = 0
    async function* endless() {
      try {
        for (let id = 0; ; id++) {
          await new Promise((resolve) => {
            setTimeout(resolve, 2)
          })
          yield { id: String(id) }
        }
      } finally {
        ended++
      }
    }
    const library = createLibrary({ name: 'acme', listBudgetMs: 20 })
      .resource('a:b', () => '')
      .template('t:{id}', { list: endless }, () => '')
    const page = await library.list({ limit: 10 }, call)
    expect(page.notices).toEqual([{ level: 'warning', provider: 'template:t:{id}', message: 'Left out: no answer within 20 ms' }])
    const request = { template: 't:{id}', variable: 'id', prefix: '', arguments: {}, limit: 10 }
    await expect(library.complete(request, call)).rejects.toMatchObject({ code: 'timeout', details: { afterMs: 20 } })
    await expect.poll(() => ended).toBe(2)
  })

  it('does not list a mounted resource twice that is also an own one', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('m:1', () => 'own')
      .mount(
        memory({
          name: 'm',
          prefixes: ['m:'],
          resources: [
            { uri: 'm:1', text: 'mounted' },
            { uri: 'm:2', text: '' },
          ],
        }),
      )
    expect(await uris(library)).toEqual(['m:1', 'm:2'])
    expect(await text(library, 'm:1')).toBe('own')
  })
})
