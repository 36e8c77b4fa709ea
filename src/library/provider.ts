import type { CacheHint, JsonValue, Meta, Resource, ResourceTemplate } from '../protocol/index.ts'
import type { Call } from './call.ts'

/**
 * A source of resources. A folder, a database, a Library and forty servers behind a Hub are all
 * Providers; the optional operations are optional abilities.
 *
 * Rules: what `list` gives, `read` reads, byte for byte; a read of anything else rejects with
 * `not-found`; pages are keyset pages, so positions survive insertions and deletions; an aborted
 * `signal` frees what the operation holds.
 */
export interface Provider extends Partial<AsyncDisposable> {
  /** `[a-z][a-z0-9.-]*`, unique in a Library; appears in cursors, audit and qualified URIs. */
  readonly name: string
  /**
   * Its URI space as literal prefixes. A prefix that ends in `/`, `:` or `+` covers all that begins with it;
   * any other covers itself and what continues with `/`, `?` or `#`. The longest wins; `any` is asked last.
   */
  readonly prefixes: readonly string[] | 'any'
  /** One scope for all pages of a list; a Library takes its mounts' strictest. Default: `ttlMs` 0, private. */
  readonly listHint?: CacheHint
  /** A page of what can be read, in an order of its own that does not change. */
  list(request: PageRequest, call: Call): Promise<Page<Resource>>
  /** The contents of one URI, as the caller wrote it. */
  read(request: ReadRequest, call: Call): Promise<ReadResult>
  templates?(request: PageRequest, call: Call): Promise<Page<ResourceTemplate>>
  /** What is known without opening the body. */
  stat?(request: UriRequest, call: Call): Promise<Stat>
  /** Direct children of a directory; rejects with `not-found` for anything that is not one. */
  children?(request: ChildrenRequest, call: Call): Promise<Page<Resource>>
  /** Values for one variable of one of its templates; rejects with `not-found` for a template that is not its own. */
  complete?(request: CompleteRequest, call: Call): Promise<Completion>
  /** Reports changes; resolves when armed. Called once per Library, whatever the number of listeners. */
  watch?(onChange: (change: Change) => void): Promise<Watcher>
  /** Whether a change of its own may be told to this caller; asked at delivery. Without it every change may. */
  delivers?(change: Change, call: Call): boolean
  /** Called once, before the first operation. */
  start?(): Promise<void>
}

/** A place in a list, plain; only the Engine seals it into a cursor. */
export type Position = JsonValue

export interface PageRequest {
  /** Items after this place; absent for the first page. */
  readonly after?: Position
  /** The most items to return, 1 or more. */
  readonly limit: number
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Present exactly when more may follow. */
  readonly next?: Position
  readonly notices?: readonly Notice[]
}

/** Something a person should know about a partial or odd answer. */
export interface Notice {
  readonly level: 'info' | 'warning'
  readonly message: string
  readonly provider?: string
  /** The error behind it, for the log of this side: it never crosses the wire. */
  readonly cause?: unknown
}

export interface UriRequest {
  readonly uri: string
}

export interface ChildrenRequest extends PageRequest, UriRequest {}

export interface ReadRequest extends UriRequest {
  /** Part of the body. What is given without a `range` of its own is the whole. */
  readonly range?: ByteRange
  /** A version the caller holds; the answer may be `unchanged`. */
  readonly ifVersion?: string
  /** The most raw bytes to return; more rejects with `too-large`. Of a range, the part counts. */
  readonly maxBytes: number
  /** What the caller's user or model answered to an earlier `input-required`. */
  readonly answers?: Answers
}

/** Half-open: bytes from `offset`, at most `length` of them. */
export interface ByteRange {
  readonly offset: number
  readonly length?: number
}

export type ReadResult = Reading | Unchanged | InputRequired

/** Contents, to be disposed after the last byte or on abort. */
export interface Reading extends Partial<AsyncDisposable> {
  readonly kind: 'contents'
  /** Never empty for something that exists. */
  readonly contents: readonly Contents[]
  /** Changes whenever the contents do; of a part, that of the whole. */
  readonly version?: string
  readonly hint?: CacheHint
  /** What part was given, when one was asked for, and the size of the whole in bytes. */
  readonly range?: { readonly offset: number; readonly length: number; readonly total: number }
}

/** The caller's version is the current one. */
export interface Unchanged {
  readonly kind: 'unchanged'
  readonly version: string
}

/** The read needs answers first (basic/patterns/mrtr). Modern clients only. */
export interface InputRequired {
  readonly kind: 'input-required'
  /** Requests by key of the provider's choosing: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly requests?: { readonly [key: string]: { readonly method: string; readonly params?: unknown } }
  /** Carried by the client, sealed by the Engine, and given back in `answers`. */
  readonly state?: JsonValue
}

export interface Answers {
  readonly responses: { readonly [key: string]: unknown }
  readonly state?: JsonValue
}

/** One piece of content: text, or bytes in memory or as a stream of known size. */
export type Contents = {
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: Meta
} & ({ readonly text: string } | { readonly bytes: Uint8Array | ByteSource })

/** Bytes that are read only while they are sent. `open` may be called more than once. */
export interface ByteSource {
  /** Exact number of bytes that `open()` gives. */
  readonly size: number
  /** The bytes from the start, or those of the range: a part is cut out by it. */
  open(range?: ByteRange): AsyncIterable<Uint8Array>
}

export interface Stat {
  readonly resource: Resource
  readonly version?: string
  readonly hint?: CacheHint
}

export interface CompleteRequest {
  /** The template as listed, or a concrete URI that it matches. */
  readonly template: string
  readonly variable: string
  readonly prefix: string
  /** Values already chosen for other variables. */
  readonly arguments: { readonly [name: string]: string }
  /** The most values wanted. */
  readonly limit: number
}

export interface Completion {
  readonly values: readonly string[]
  /** How many there are in all, when known. */
  readonly total?: number
  readonly hasMore?: boolean
}

export type Change =
  | { readonly kind: 'updated'; readonly uri: string; readonly version?: string }
  /** The set of resources changed, below `under` if given. */
  | { readonly kind: 'list'; readonly under?: string }
  /** Changes may have been missed: listeners are told to look again. */
  | { readonly kind: 'lost'; readonly under?: string }

/** An armed watch. Interest in single URIs is added and removed while it lives. */
export interface Watcher extends AsyncDisposable {
  add(uri: string): Promise<void>
  remove(uri: string): void
}
