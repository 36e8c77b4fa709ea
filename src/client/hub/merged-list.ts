import { ShelfError } from '../../errors.ts'
import type { Call, Notice, Operation, Page, PageRequest, Position } from '../../library/index.ts'
import { within } from '../../library/index.ts'
import type { CacheHint, Clock } from '../../protocol/index.ts'
import { isObject } from '../../protocol/index.ts'
import type { PageOptions } from '../list-page.ts'
import type { ListPage } from '../walk-pages.ts'
import { RecentPages } from './recent-pages.ts'
import type { HubServer } from './server.ts'

export interface MergedListOptions<T> {
  readonly servers: readonly HubServer[]
  readonly clock: Clock
  /** How long one server may take, in milliseconds. */
  readonly budgetMs: number
  /** What the list is asked for as. */
  readonly operation: Operation
  page(server: HubServer, options: PageOptions): Promise<ListPage<T>>
  /** The item as it is called outside. */
  outer(server: HubServer, item: T): T
  /** What a page said of how it may be kept. */
  hint(server: HubServer, hint: CacheHint): void
}

/** Where a list goes on: at which server, after which of its cursors, after how many items of that page. */
interface Place {
  readonly server: string
  readonly cursor: string | undefined
  readonly skip: number
}

/** A page that a server has been asked for. */
interface Begun<T> {
  readonly page: Promise<ListPage<T>>
  /** When, in milliseconds of the monotonic clock. */
  readonly at: number
}

/** When one server takes so long, in milliseconds, those behind it are asked already. */
const HURRY_MS = 500
/** What a server gets that took all of its time and has not answered since, in milliseconds. */
const SLOW_MS = 100

/** So many pages of servers are asked for one page of the whole; what is still empty then is a short page. */
const MOST_ASKED = 16

/**
 * The lists of several servers one after the other, a page of a server at a time and only when it is wanted. A server
 * that fails, or takes too long, is left out with a notice, and the others are given: however many hang, all of them
 * together take as long as one.
 */
export class MergedList<T> {
  readonly #options: MergedListOptions<T>
  readonly #recent = new RecentPages<T>()
  /** Servers that took all of their time, and have not answered since. */
  readonly #slow = new Set<HubServer>()

  constructor(options: MergedListOptions<T>) {
    this.#options = options
  }

  async page({ after, limit }: PageRequest, call: Call): Promise<Page<T>> {
    const items: T[] = []
    const notices: Notice[] = []
    let place = after === undefined ? this.#first() : placeOf(after)
    if (after === undefined) this.#warm()
    const begun = new Map<HubServer, Begun<T>>()
    for (let asked = 0; place !== undefined && items.length < limit && asked < MOST_ASKED; asked++) {
      const { server: name, skip } = place
      const server = this.#options.servers.find((one) => one.name === name)
      if (server === undefined) throw new ShelfError('invalid-cursor', 'The cursor is of a server that is no longer there', {})
      // Whoever may see nothing of a server is not told by its failing that there is one.
      if (call.reaches?.(this.#options.operation, server.qualifier) === false) {
        place = this.#next(server)
        continue
      }
      const page = await this.#ask(server, place, call, notices, begun)
      if (page === undefined) {
        place = this.#next(server)
        continue
      }
      const wanted = page.items.slice(skip, skip + limit - items.length)
      for (const item of wanted) items.push(this.#options.outer(server, item))
      if (skip === 0) notices.push(...page.notices.map((notice) => server.notice(notice)))
      place = this.#after(server, place, page, skip + wanted.length, notices)
    }
    return { items, ...(place !== undefined && { next: positionOf(place) }), ...(notices.length > 0 && { notices }) }
  }

  #first(): Place | undefined {
    const [first] = this.#options.servers
    return first && startOf(first)
  }

  #next(server: HubServer): Place | undefined {
    const { servers } = this.#options
    const next = servers[servers.indexOf(server) + 1]
    return next && startOf(next)
  }

  /** All are wanted soon: a server that takes long to start begins now. */
  #warm(): void {
    for (const { client } of this.#options.servers) client.server().catch(() => undefined)
  }

  /** A page of a server, or undefined, with a notice, if it has none to give. */
  async #ask(
    server: HubServer,
    place: Place,
    call: Call,
    notices: Notice[],
    begun: Map<HubServer, Begun<T>>,
  ): Promise<ListPage<T> | undefined> {
    const kept = place.skip > 0 ? this.#recent.take(keyOf(place)) : undefined
    if (kept !== undefined) return kept
    const { clock, budgetMs, servers } = this.#options
    const first = place.cursor === undefined ? begun.get(server) : undefined
    const asked = first ?? this.#begin(server, place.cursor, call)
    const hurry = clock.after(HURRY_MS, () => {
      for (const later of servers.slice(servers.indexOf(server) + 1)) {
        if (!begun.has(later)) begun.set(later, this.#begin(later, undefined, call))
      }
    })
    const left = (this.#slow.has(server) ? SLOW_MS : budgetMs) - (clock.monotonic() - asked.at)
    try {
      const page = await within(asked.page, Math.max(0, Math.ceil(left)))
      this.#options.hint(server, page.hint)
      server.works()
      return page
    } catch (error) {
      const failure = ShelfError.from(error)
      if (call.signal.aborted) throw failure
      // The place is in a list that is no longer: whoever walks it begins again.
      if (failure.code === 'invalid-cursor') throw failure
      const notice = server.leftOut(failure)
      if (servers.length === 1) throw failure
      if (failure.code === 'timeout') this.#leave(server, asked)
      notices.push(notice)
      return undefined
    } finally {
      hurry()
    }
  }

  #begin(server: HubServer, cursor: string | undefined, call: Call): Begun<T> {
    const page = this.#options.page(server, { signal: call.signal, ...(cursor !== undefined && { cursor }) })
    // Asked before its turn, it may fail before somebody waits for it.
    page.catch(() => undefined)
    return { page, at: this.#options.clock.monotonic() }
  }

  /** Until it has answered, whatever it is, nobody waits for it as long again. */
  #leave(server: HubServer, { page }: Begun<T>): void {
    this.#slow.add(server)
    page.catch(() => undefined).finally(() => this.#slow.delete(server))
  }

  #after(server: HubServer, place: Place, page: ListPage<T>, taken: number, notices: Notice[]): Place | undefined {
    if (taken < page.items.length) {
      this.#recent.keep(keyOf(place), page)
      return { ...place, skip: taken }
    }
    const { nextCursor } = page
    if (nextCursor === undefined) return this.#next(server)
    if (nextCursor !== place.cursor) return { server: server.name, cursor: nextCursor, skip: 0 }
    notices.push(server.notice({ level: 'warning', message: 'The list was ended: the server gave the cursor that it was sent' }))
    return this.#next(server)
  }
}

function startOf(server: HubServer): Place {
  return { server: server.name, cursor: undefined, skip: 0 }
}

function keyOf({ server, cursor }: Place): string {
  return JSON.stringify([server, cursor])
}

function positionOf({ server, cursor, skip }: Place): Position {
  return { server, ...(cursor !== undefined && { cursor }), ...(skip > 0 && { skip }) }
}

function placeOf(after: Position): Place {
  const { server, cursor, skip = 0 } = isObject(after) ? after : {}
  if (typeof server !== 'string' || typeof skip !== 'number' || (cursor !== undefined && typeof cursor !== 'string')) {
    throw new ShelfError('invalid-cursor', 'The place in the list is not one of this Hub', {})
  }
  return { server, cursor, skip }
}
