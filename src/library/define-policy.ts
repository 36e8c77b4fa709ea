import { ShelfError } from '../errors.ts'
import type { Resource, ResourceTemplate } from '../protocol/index.ts'
import type { Call, Operation } from './call.ts'
import { pageOf } from './page.ts'
import type { Change, ChildrenRequest, Page, PageRequest, Provider, ReadRequest, ReadResult } from './provider.ts'

/** What a policy hooks into; leave out what it does not need. */
export interface PolicyHooks {
  /** For the audit and for error messages. */
  readonly name: string
  /**
   * Runs round every operation: before, after, instead. `next` goes on inwards, with another Call if given.
   * What it throws, the caller gets.
   */
  around?<T>(step: PolicyStep, call: Call, next: (call?: Call) => Promise<T>): Promise<T>
  /** Which URIs (of templates: the template text) may be seen: for items of pages and for changes before delivery. */
  keep?(uri: string, operation: Operation, call: Call): boolean
  /** May replace what a read returns. */
  reading?(result: ReadResult, request: ReadRequest, call: Call): ReadResult | Promise<ReadResult>
}

/** Which operation runs, on what. */
export interface PolicyStep {
  readonly operation: Operation
  readonly provider: Provider
  /** The URI, for operations on one; the template for `complete`. */
  readonly uri?: string
}

/** Provider in, Provider out. Any data gets any rule, and none can forget an operation. */
export interface Policy {
  readonly name: string
  (provider: Provider): Provider
  /** Whether a change may be told to this caller; asked at delivery. */
  delivers(change: Change, call: Call): boolean
}

/** Pages of which this many limits were scanned in vain are given short, with a cursor. */
const SCAN_FACTOR = 10

/** Makes a policy from hooks. Use it with `library.use(policy)`; the first one used is the outermost. */
export function definePolicy(hooks: PolicyHooks): Policy {
  const policy = (inner: Provider): Provider => wrap(inner, hooks)
  const delivers = (change: Change, call: Call): boolean =>
    change.kind !== 'updated' || hooks.keep === undefined || hooks.keep(change.uri, 'subscribe', call)
  return Object.defineProperties(policy, {
    name: { value: hooks.name },
    delivers: { value: delivers },
  }) as Policy
}

const uriOf = (item: Resource): string => item.uri
const textOf = (item: ResourceTemplate): string => item.uriTemplate

function wrap(inner: Provider, hooks: PolicyHooks): Provider {
  const around = <T>(operation: Operation, uri: string | undefined, call: Call, next: (call: Call) => Promise<T>): Promise<T> => {
    if (hooks.around === undefined) return next(call)
    const step: PolicyStep = { operation, provider: inner, ...(uri === undefined ? {} : { uri }) }
    return hooks.around(step, call, (other) => next(other ?? call))
  }
  const pages = <T, R extends PageRequest>(
    operation: Operation,
    uri: string | undefined,
    key: (item: T) => string,
    fetch: (request: R, call: Call) => Promise<Page<T>>,
  ) => {
    const keep = hooks.keep?.bind(hooks)
    return (request: R, call: Call): Promise<Page<T>> =>
      around(operation, uri, call, (inside) =>
        keep === undefined
          ? fetch(request, inside)
          : keepPage(
              request,
              inside,
              (item) => keep(key(item), operation, inside),
              (part) => fetch(part, inside),
            ),
      )
  }
  return {
    name: inner.name,
    prefixes: inner.prefixes,
    ...(inner.listHint === undefined ? {} : { listHint: inner.listHint }),
    list: pages('list', undefined, uriOf, (request, call) => inner.list(request, call)),
    read: (request, call) =>
      around('read', request.uri, call, async (inside) => {
        const result = await inner.read(request, inside)
        return hooks.reading === undefined ? result : hooks.reading(result, request, inside)
      }),
    ...(inner.templates && {
      templates: pages('templates', undefined, textOf, (request, call) => inner.templates!(request, call)),
    }),
    ...(inner.stat && { stat: (request, call) => around('stat', request.uri, call, (inside) => inner.stat!(request, inside)) }),
    ...(inner.children && {
      children: (request, call) =>
        pages('children', request.uri, uriOf, (part: ChildrenRequest, inside) => inner.children!(part, inside))(request, call),
    }),
    ...(inner.complete && {
      complete: (request, call) => around('complete', request.template, call, (inside) => inner.complete!(request, inside)),
    }),
    ...(inner.watch && { watch: (onChange) => inner.watch!(onChange) }),
    ...(inner.start && { start: () => inner.start!() }),
    ...(inner[Symbol.asyncDispose] && { [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose]!() }),
  }
}

/** A page of what is kept, refilled from the source until it is full, the source ends, or too much was scanned. */
async function keepPage<T, R extends PageRequest>(
  request: R,
  call: Call,
  keep: (item: T) => boolean,
  fetch: (request: R) => Promise<Page<T>>,
): Promise<Page<T>> {
  const items: T[] = []
  const notices = []
  let after = request.after
  let scanned = 0
  for (;;) {
    const got = await fetch({ ...request, limit: request.limit - items.length, ...(after === undefined ? {} : { after }) })
    for (const item of got.items) if (keep(item)) items.push(item)
    if (got.notices !== undefined) notices.push(...got.notices)
    scanned += Math.max(1, got.items.length)
    after = got.next
    if (after === undefined || items.length >= request.limit || scanned >= request.limit * SCAN_FACTOR) break
    if (call.signal.aborted) throw new ShelfError('cancelled', 'Cancelled by the caller', {})
  }
  return pageOf(items, after, notices)
}
