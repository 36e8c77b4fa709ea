import type { ListPage } from '../walk-pages.ts'

/** So many pages are kept for their second half. */
const KEPT = 16

/**
 * The pages of servers of which a part is still to be given: a server cuts its pages as it likes, and a caller may want
 * fewer items at a time. A page that is gone is asked for again.
 */
export class RecentPages<T> {
  readonly #pages = new Map<string, ListPage<T>>()

  /** Takes it out: whoever gives the last part of it is done with it. */
  take(key: string): ListPage<T> | undefined {
    const page = this.#pages.get(key)
    this.#pages.delete(key)
    return page
  }

  keep(key: string, page: ListPage<T>): void {
    this.#pages.set(key, page)
    if (this.#pages.size <= KEPT) return
    for (const oldest of this.#pages.keys()) {
      this.#pages.delete(oldest)
      return
    }
  }
}
