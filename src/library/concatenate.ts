import { ShelfError } from '../errors.ts'
import type { JsonObject } from '../protocol/index.ts'
import { isInternal, isObject } from '../protocol/index.ts'
import { within } from './budget.ts'
import type { Call } from './call.ts'
import { pageOf } from './page.ts'
import type { Notice, Page, PageRequest, Position } from './provider.ts'

/** One of several lists that are shown as one. */
export interface Part<T> {
  /** Names the part in positions and notices; must stay the same while pages are walked. */
  readonly key: string
  /** Nothing to ask: its answer does not make up for others that failed. */
  readonly idle?: boolean
  /** The caller may see nothing of it: it is not asked, and says nothing of itself when it would fail. */
  readonly hidden?: boolean
  page(request: PageRequest): Promise<Page<T>>
}

export interface ConcatenateOptions {
  /** Rejects when one part fails, instead of giving the others with a notice. */
  readonly strict: boolean
  /** How long one part may take, in milliseconds. */
  readonly budgetMs: number
}

/**
 * A page of several lists one after the other. The position is the part and the place in it, so a
 * part that grows, shrinks or goes away disturbs nobody else. `next` is there only if an item follows.
 * A part that fails or is too slow is left out with a notice; if that leaves nothing of a whole list, it rejects.
 *
 * @throws ShelfError `invalid-cursor` for a position that is not of this form
 */
export async function concatenate<T>(
  parts: readonly Part<T>[],
  request: PageRequest,
  call: Call,
  options: ConcatenateOptions,
): Promise<Page<T>> {
  const from = readPosition(request.after)
  const items: T[] = []
  const notices: Notice[] = []
  let failure: unknown
  let answered = 0
  let index = from === undefined ? 0 : parts.findIndex((part) => part.key === from.part)
  if (index < 0) throw new ShelfError('invalid-cursor', 'The part of the list this cursor points into is gone', {})
  let after = from?.after
  for (; index < parts.length; index++) {
    const part = parts[index]!
    if (part.hidden === true) {
      after = undefined
      continue
    }
    const room = request.limit - items.length
    const inner: PageRequest = { limit: Math.max(1, room), ...(after === undefined ? {} : { after }) }
    after = undefined
    let got: Page<T>
    try {
      got = await within(part.page(inner), options.budgetMs)
    } catch (error) {
      // Whoever gave up while this part was waited for is not made to wait for the others.
      if (call.signal.aborted || options.strict || ShelfError.is(error, 'cancelled') || ShelfError.is(error, 'invalid-cursor'))
        throw error
      failure ??= error
      notices.push(noticeOf(part.key, error))
      continue
    }
    if (part.idle !== true) answered++
    if (room === 0) {
      if (got.items.length > 0 || got.next !== undefined) return pageOf(items, positionOf(part.key, undefined), notices)
      continue
    }
    items.push(...got.items)
    if (got.notices !== undefined) notices.push(...got.notices)
    if (got.next !== undefined) return pageOf(items, positionOf(part.key, got.next), notices)
  }
  if (failure !== undefined && answered === 0) throw failure
  return pageOf(items, undefined, notices)
}

/** What a caller may know of a part that failed: never the message of a foreign error, but the author's own refusal. */
function noticeOf(provider: string, error: unknown): Notice {
  const notice = (reason: string): Notice => ({ level: 'warning', provider, message: `Left out: ${reason}` })
  if (ShelfError.is(error, 'refused')) return notice(error.message)
  if (ShelfError.is(error, 'timeout')) return notice(`no answer within ${error.details.afterMs} ms`)
  return isInternal(ShelfError.from(error)) ? { ...notice('it failed'), cause: error } : notice('it failed')
}

function positionOf(part: string, after: Position | undefined): JsonObject {
  return after === undefined ? { part } : { part, after }
}

function readPosition(value: Position | undefined): { readonly part: string; readonly after?: Position } | undefined {
  if (value === undefined) return undefined
  if (isObject(value) && typeof value['part'] === 'string') return value as { part: string; after?: Position }
  throw new ShelfError('invalid-cursor', 'Not a position in this list', {})
}
