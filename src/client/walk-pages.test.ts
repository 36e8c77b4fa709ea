import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { UNCACHED } from '../protocol/index.ts'
import type { ListPage } from './walk-pages.ts'
import { walkPages } from './walk-pages.ts'

function page(items: readonly string[], nextCursor?: string): ListPage<string> {
  return { items, ...(nextCursor !== undefined && { nextCursor }), notices: [], hint: UNCACHED, stale: false }
}

async function walk(
  pageAt: (cursor: string | undefined) => ListPage<string> | Promise<ListPage<string>>,
  most = Infinity,
): Promise<{ items: string[]; notices: string[]; asked: (string | undefined)[]; error?: string }> {
  const items: string[] = []
  const notices: string[] = []
  const asked: (string | undefined)[] = []
  const walked = walkPages<string>({
    page: async (cursor) => {
      asked.push(cursor)
      return pageAt(cursor)
    },
    id: (item) => item,
    notice: ({ message }) => void notices.push(message),
  })
  try {
    for await (const item of walked) if (items.push(item) >= most) break
  } catch (error) {
    return { items, notices, asked, error: ShelfError.from(error).code }
  }
  return { items, notices, asked }
}

describe('walkPages()', () => {
  it('gives each item once, in order, however the list is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(20), { maxLength: 60 }),
        fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
        async (ids, cuts) => {
          const list = ids.map((id) => `x:${id}`)
          const pages: ListPage<string>[] = []
          let at = 0
          for (let i = 0; at < list.length || i === 0; i++) {
            const size = (cuts[i % cuts.length] ?? 0) + (i % 3 === 0 ? 1 : 0)
            const end = at + size
            pages.push(page(list.slice(at, end), end < list.length ? `c${i}` : undefined))
            at = end
          }
          const { items, notices } = await walk((cursor) => pages[cursor === undefined ? 0 : Number(cursor.slice(1)) + 1]!)
          expect(items).toEqual([...new Set(list)])
          expect(notices).toEqual([])
        },
      ),
    )
  })

  it('asks for no page before it is wanted', async () => {
    const { asked } = await walk(
      (cursor) =>
        page(
          ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `${cursor}${id}`),
          `${cursor}+`,
        ),
      5,
    )
    expect(asked).toEqual([undefined])
  })

  it('takes an empty cursor for a cursor', async () => {
    const { items, asked } = await walk((cursor) => (cursor === undefined ? page(['a'], '') : page(['b'])))
    expect([items, asked]).toEqual([
      ['a', 'b'],
      [undefined, ''],
    ])
  })

  it.each([
    ['always the same', ['', ''], 2],
    ['A, B, A', ['A', 'B', 'A'], 3],
    ['a long round', [...Array.from({ length: 40 }, (_, i) => `${i}`), '7'], 41],
  ])('ends where a cursor comes again: %s', async (_name, cursors, pages) => {
    let count = 0
    const { items, notices, asked } = await walk(() => page([`${count}`], cursors[count++]))
    expect([items.length, asked.length]).toEqual([pages, pages])
    expect(notices).toEqual(['The list was ended: the server gave a cursor for the second time'])
  })

  it('ends where 64 pages in a row bring nothing new', async () => {
    let count = 0
    const { items, notices, asked } = await walk(() => page(count < 3 ? [`${count}`] : ['0', '1'], `${count++}`))
    expect([items, asked.length]).toEqual([['0', '1', '2'], 67])
    expect(notices).toEqual(['The list was ended: 64 pages in a row brought nothing new'])
  })

  it('goes on over empty pages that come to something', async () => {
    let count = 0
    const { items, notices } = await walk(() =>
      page(count % 63 === 0 ? [`${count}`] : [], count++ < 630 ? `${count}` : undefined),
    )
    expect([items.length, notices]).toEqual([11, []])
  })

  it('begins again once when its cursor is no longer taken', async () => {
    let refusals = 0
    const { items, notices, asked } = await walk((cursor) => {
      if (cursor === 'b' && refusals++ === 0) throw new ShelfError('invalid-cursor', 'no', {})
      return cursor === undefined ? page(['1'], 'a') : cursor === 'a' ? page(['2'], 'b') : page(['3'])
    })
    expect(items).toEqual(['1', '2', '3'])
    expect(asked).toEqual([undefined, 'a', 'b', undefined, 'a', 'b'])
    expect(notices).toEqual(['The server no longer takes its cursor; the list is read again from the start'])
  })

  it('fails where its cursor is refused for the second time, with what came before', async () => {
    const { items, error } = await walk((cursor) => {
      if (cursor !== undefined) throw new ShelfError('invalid-cursor', 'no', {})
      return page(['1'], 'a')
    })
    expect([items, error]).toEqual([['1'], 'invalid-cursor'])
  })

  it('walks a million items of pages that a server makes up as it goes', async () => {
    let pages = 0
    const { items } = await walk((cursor) => {
      const from = Number(cursor ?? 0)
      pages++
      return page(
        Array.from({ length: 4_000 }, (_, i) => `x:${from + i}`),
        from + 4_000 < 1_000_000 ? `${from + 4_000}` : undefined,
      )
    })
    expect([items.length, pages, items.at(-1)]).toEqual([1_000_000, 250, 'x:999999'])
  })
})
