import type { Page, Position } from '../library/index.ts'
import { check } from './check.ts'

/** All pages of a list from the start, or from `after`. Fails if a page is too long, or is empty though more was promised. */
export async function walkPages<T>(
  fetch: (request: { readonly limit: number; readonly after?: Position }) => Promise<Page<T>>,
  limit: number,
  after?: Position,
): Promise<readonly T[]> {
  const items: T[] = []
  let next = after
  for (let pages = 0; ; pages++) {
    check(pages < 100_000, 'a list to end', `${pages} pages`)
    const page = await fetch(next === undefined ? { limit } : { limit, after: next })
    check(page.items.length <= limit, `at most ${limit} items on a page`, page.items.length)
    check(next === undefined || after !== undefined || page.items.length > 0, 'no empty page after one that promised more')
    items.push(...page.items)
    if (page.next === undefined) return items
    check(page.items.length > 0, 'an empty page to be the last')
    next = page.next
  }
}
