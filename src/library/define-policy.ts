import { ShelfError } from '../errors.ts'
import type { CacheHint, Resource, ResourceTemplate } from '../protocol/index.ts'
import type { Call, Operation } from './call.ts'
import { cutToRange } from './cut-to-range.ts'
import { pageOf } from './page.ts'
import type {
  Change,
  ChildrenRequest,
  CompleteRequest,
  Completion,
  Notice,
  Page,
  PageRequest,
  Provider,
  ReadRequest,
  ReadResult,
  UriRequest,
  Watcher,
} from './provider.ts'
import { amended, privately } from './resource-face.ts'

/** What a policy hooks into; leave out what it does not need. */
export interface PolicyHooks {
  /** For the audit and for error messages. */
  readonly name: string
  /**
   * Runs round every operation: before, after, instead. `next` goes on inwards, with another Call or another request of
   * this operation if given. What it throws, the caller gets.
   */
  around?<T>(step: PolicyStep, call: Call, next: PolicyNext<T>): Promise<T>
  /** Which URIs (of templates: the template text) may be seen: for items of pages and for changes before delivery. */
  keep?(uri: string, operation: Operation, call: Call): boolean
  /** May replace what a read returns. It sees whole bodies: a range is cut out of what it returns, unless `parts`. */
  reading?(result: ReadResult, request: ReadRequest, call: Call): ReadResult | Promise<ReadResult>
  /**
   * Whether `reading` takes part of a body as well as all of it, for a policy that does not look into bodies. Default
   * false: then there are no ranges of a body that is larger than the limit.
   */
  readonly parts?: boolean
  /**
   * May leave out values of a completion. `fetch` asks for them, perhaps more than once and for more than are wanted, so
   * that the answer is full.
   */
  completing?(request: CompleteRequest, call: Call, fetch: (request: CompleteRequest) => Promise<Completion>): Promise<Completion>
  /** May replace what is said of the parts that are missing from a page, or leave it out. */
  notice?(notice: Notice, operation: Operation, call: Call): Notice | undefined
  /** Told of every change that is heard of what this policy is round, before anybody else is. */
  hearing?(change: Change): void
  /** Runs round each watch that is armed on the provider. */
  watching?(provider: Provider, watch: () => Promise<Watcher>): Promise<Watcher>
  /** Whether results differ by principal: then nothing is marked as `public` for caches. Default false. */
  readonly personal?: boolean
}

/** What each operation is asked with. */
interface Requests {
  readonly list: PageRequest
  readonly templates: PageRequest
  readonly read: ReadRequest
  readonly stat: UriRequest
  readonly children: ChildrenRequest
  readonly complete: CompleteRequest
}

/** Which operation runs, on what. */
export type PolicyStep = { [O in keyof Requests]: StepOf<O> }[keyof Requests]

interface StepOf<O extends keyof Requests> {
  readonly operation: O
  readonly provider: Provider
  /** The URI, for operations on one; the template for `complete`. */
  readonly uri?: string
  readonly request: Requests[O]
}

/** Goes on inwards, with what is given instead of what came. */
export type PolicyNext<T> = (call?: Call, request?: PolicyStep['request']) => Promise<T>

/** Provider in, Provider out. Any data gets any rule, and none can forget an operation. */
export interface Policy {
  readonly name: string
  (provider: Provider): Provider
  /** Whether a change may be told to this caller; asked at delivery. */
  delivers(change: Change, call: Call): boolean
  /** Takes a change of what the policy is round, as soon as it is heard. */
  hears(change: Change): void
  /** Whether results differ by principal. */
  readonly personal: boolean
}

/** Pages of which this many limits were scanned in vain are given short, with a cursor. */
const SCAN_FACTOR = 10

/** Makes a policy from hooks. Use it with `library.use(policy)`; the first one used is the outermost. */
export function definePolicy(hooks: PolicyHooks): Policy {
  const policy = (inner: Provider): Provider => wrap(inner, hooks)
  return Object.defineProperties(policy, {
    name: { value: hooks.name },
    delivers: { value: (change: Change, call: Call): boolean => mayTell(hooks, change, call) },
    hears: { value: (change: Change): void => told(hooks, change) },
    personal: { value: hooks.personal ?? false },
  }) as Policy
}

function mayTell(hooks: PolicyHooks, change: Change, call: Call): boolean {
  return change.kind !== 'updated' || hooks.keep === undefined || hooks.keep(change.uri, 'subscribe', call)
}

function told(hooks: PolicyHooks, change: Change): void {
  try {
    hooks.hearing?.(change)
  } catch {
    // What a policy makes of a change keeps nobody from hearing of it.
  }
}

const uriOf = (item: Resource): string => item.uri
const textOf = (item: ResourceTemplate): string => item.uriTemplate

function wrap(inner: Provider, hooks: PolicyHooks): Provider {
  const around = <T, O extends keyof Requests>(
    operation: O,
    uri: string | undefined,
    request: Requests[O],
    call: Call,
    next: (request: Requests[O], call: Call) => Promise<T>,
  ): Promise<T> => {
    if (hooks.around === undefined) return next(request, call)
    const step = { operation, provider: inner, ...(uri === undefined ? {} : { uri }), request } as PolicyStep
    return hooks.around<T>(step, call, (other, instead) => next((instead ?? request) as Requests[O], other ?? call))
  }
  const pages = <T, O extends 'list' | 'templates' | 'children'>(
    operation: O,
    uri: string | undefined,
    key: (item: T) => string,
    fetch: (request: Requests[O], call: Call) => Promise<Page<T>>,
  ) => {
    const keep = hooks.keep?.bind(hooks)
    return (asked: Requests[O], call: Call): Promise<Page<T>> =>
      around(operation, uri, asked, call, async (request, inside) => {
        if (keep === undefined) return noticed(await fetch(request, inside), operation, inside)
        const page = await keepPage<T, Requests[O]>(
          request,
          inside,
          (item) => keep(key(item), operation, inside),
          (part) => fetch(part, inside),
        )
        return noticed(page, operation, inside)
      })
  }
  const noticed = <T>(page: Page<T>, operation: Operation, call: Call): Page<T> => {
    if (hooks.notice === undefined || page.notices === undefined) return page
    return pageOf(
      page.items,
      page.next,
      page.notices.flatMap((notice) => hooks.notice!(notice, operation, call) ?? []),
    )
  }
  const own = <T extends { readonly hint?: CacheHint }>(result: T): T =>
    hooks.personal === true && result.hint !== undefined ? { ...result, hint: privately(result.hint) } : result
  const ownReading = (result: ReadResult): ReadResult =>
    result.kind === 'contents' && result.hint !== undefined && hooks.personal === true
      ? amended(result, { hint: privately(result.hint) })
      : result
  const provider: Provider = {
    name: inner.name,
    prefixes: inner.prefixes,
    list: pages('list', undefined, uriOf, (request, call) => inner.list(request, call)),
    read: (asked, call) =>
      around('read', asked.uri, asked, call, async (request, inside) => {
        if (hooks.reading === undefined) return ownReading(await inner.read(request, inside))
        if (request.range === undefined || hooks.parts === true)
          return ownReading(await replaced(hooks, await inner.read(request, inside), request, inside))
        const { range: _cut, ...whole } = request
        const result = ownReading(await replaced(hooks, await inner.read(whole, inside), whole, inside))
        return result.kind === 'contents' ? cutToRange(result, request) : result
      }),
    ...(inner.templates && {
      templates: pages('templates', undefined, textOf, (request, call) => inner.templates!(request, call)),
    }),
    ...(inner.stat && {
      stat: (asked, call) =>
        around('stat', asked.uri, asked, call, async (request, inside) => own(await inner.stat!(request, inside))),
    }),
    ...(inner.children && {
      children: (request, call) =>
        pages('children', request.uri, uriOf, (part, inside) => inner.children!(part, inside))(request, call),
    }),
    ...(inner.complete && {
      complete: (asked, call) =>
        around('complete', asked.template, asked, call, (request, inside) => {
          const fetch = (other: CompleteRequest): Promise<Completion> => inner.complete!(other, inside)
          return hooks.completing === undefined ? fetch(request) : hooks.completing(request, inside, fetch)
        }),
    }),
    ...((hooks.keep !== undefined || inner.delivers !== undefined) && {
      delivers: (change, call) => mayTell(hooks, change, call) && (inner.delivers?.(change, call) ?? true),
    }),
    ...(inner.watch && { watch: (onChange) => watching(inner, hooks, onChange) }),
    ...(inner.start && { start: () => inner.start!() }),
    ...(inner[Symbol.asyncDispose] && { [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose]!() }),
  }
  if (inner.listHint === undefined) return provider
  // That of a Library changes with its mounts.
  return Object.defineProperty(provider, 'listHint', {
    enumerable: true,
    get: () => inner.listHint && (hooks.personal === true ? privately(inner.listHint) : inner.listHint),
  })
}

/** The policy hears of a change first: who is told of one, and looks at once, finds what is there now. */
function watching(inner: Provider, hooks: PolicyHooks, onChange: (change: Change) => void): Promise<Watcher> {
  const tell = (change: Change): void => {
    told(hooks, change)
    onChange(change)
  }
  const watch = (): Promise<Watcher> => inner.watch!(tell)
  return hooks.watching === undefined ? watch() : hooks.watching(inner, watch)
}

/** What a policy makes of a read. One that throws has nobody to hand the Reading to, which is then disposed. */
async function replaced(hooks: PolicyHooks, result: ReadResult, request: ReadRequest, call: Call): Promise<ReadResult> {
  try {
    return await hooks.reading!(result, request, call)
  } catch (error) {
    if (result.kind === 'contents') await result[Symbol.asyncDispose]?.()
    throw error
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
