import type { Notice, Page, Position } from './provider.ts'

/** A page, without a `next` or `notices` that would say nothing. */
export function pageOf<T>(items: readonly T[], next: Position | undefined, notices: readonly Notice[] = []): Page<T> {
  return {
    items,
    ...(next === undefined ? {} : { next }),
    ...(notices.length > 0 ? { notices } : {}),
  }
}
