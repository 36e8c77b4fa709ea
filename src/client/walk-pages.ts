import { ShelfError } from '../errors.ts'
import type { Notice } from '../library/index.ts'
import type { CacheHint } from '../protocol/index.ts'
import { RecentSet } from './recent-set.ts'

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[]
  /** Where the next page begins; `""` is a cursor like any other. Absent at the end. */
  readonly nextCursor?: string
  /** What a person should know: entries that were set aside, parts that the server left out. */
  readonly notices: readonly Notice[]
  /** How the server said it may be kept; each page has a hint of its own. */
  readonly hint: CacheHint
  /** Whether it is from the cache, too old, because the server could not be asked. */
  readonly stale: boolean
}

export interface Walk<T> {
  page(cursor: string | undefined): Promise<ListPage<T>>
  /** What makes two items the same. */
  id(item: T): string
  notice(notice: Notice): void
}

/** So many items are told apart exactly; of longer lists, the last ones. */
const REMEMBERED = 100_000
/** So many pages in a row may bring nothing new. */
const IDLE_PAGES = 64

/**
 * All items of a list, page by page as they are wanted, each once. It ends where the server says so, where a cursor
 * comes again, and where many pages in a row bring nothing new; the last two are said in a notice. A cursor that the
 * server no longer takes begins the list again, once.
 */
export async function* walkPages<T>(walk: Walk<T>): AsyncGenerator<T, void, undefined> {
  const seen = new RecentSet(REMEMBERED)
  let cursors = new RecentSet(REMEMBERED)
  let cursor: string | undefined
  let begunAgain = false
  let idle = 0
  for (;;) {
    let page: ListPage<T>
    try {
      page = await walk.page(cursor)
    } catch (error) {
      if (cursor === undefined || begunAgain || !ShelfError.is(error, 'invalid-cursor')) throw error
      walk.notice({ level: 'warning', message: 'The server no longer takes its cursor; the list is read again from the start' })
      begunAgain = true
      cursors = new RecentSet(REMEMBERED)
      cursor = undefined
      continue
    }
    for (const notice of page.notices) walk.notice(notice)
    let fresh = 0
    for (const item of page.items) {
      if (!seen.add(walk.id(item))) continue
      fresh++
      yield item
    }
    if (page.nextCursor === undefined) return
    idle = fresh > 0 ? 0 : idle + 1
    if (idle >= IDLE_PAGES)
      return walk.notice({ level: 'warning', message: `The list was ended: ${IDLE_PAGES} pages in a row brought nothing new` })
    if (!cursors.add(page.nextCursor))
      return walk.notice({ level: 'warning', message: 'The list was ended: the server gave a cursor for the second time' })
    cursor = page.nextCursor
  }
}
