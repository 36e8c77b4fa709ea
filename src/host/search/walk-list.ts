import type { Notice, Page, PageRequest, Position } from '../../library/index.ts'

/** So many items are asked for at once. */
const PAGE = 1_000
/** Pages in a row of which nothing was taken, after which a list has no end. */
const IDLE_PAGES = 64

/** How a list came to its end: its own, that of what is wanted of it, or that of patience. */
export type ListEnd = 'whole' | 'enough' | 'endless'

/**
 * Walks a list page by page.
 *
 * @param take whether the item was new, or `enough` where no more are wanted
 * @param turn called after each item
 */
export async function walkList<T>(
  fetch: (request: PageRequest) => Promise<Page<T>>,
  take: (item: T) => boolean | 'enough',
  turn: () => Promise<void> | undefined,
  hear: (notice: Notice) => void,
): Promise<ListEnd> {
  let after: Position | undefined
  for (let idle = 0; idle < IDLE_PAGES;) {
    const page = await fetch({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const notice of page.notices ?? []) hear(notice)
    idle++
    for (const item of page.items) {
      const taken = take(item)
      if (taken === 'enough') return 'enough'
      if (taken) idle = 0
      const pause = turn()
      if (pause !== undefined) await pause
    }
    after = page.next
    if (after === undefined) return 'whole'
    const pause = turn()
    if (pause !== undefined) await pause
  }
  return 'endless'
}
