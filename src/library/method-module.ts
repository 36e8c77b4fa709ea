import type { CacheHint, Era, Implementation, LogLevel, MethodDescriptor, Revision, UncheckedObject } from '../protocol/index.ts'
import type { Call } from './call.ts'
import type { Answers, ByteSource, Completion, InputRequired, Page, PageRequest, Position } from './provider.ts'

/**
 * A group of methods that an Engine serves: resources, directories and skills are modules, and so are
 * tools and prompts of whoever wants them. What a module declares is advertised, and nothing else is.
 */
export interface MethodModule {
  readonly name: string
  readonly methods: readonly Method[]
  /** Whether the module takes part now; default always. An inactive module is neither advertised nor answered. */
  active?(): boolean
  /** Its share of `capabilities`, for example `{ tools: { listChanged: true } }`. */
  capabilities?(): UncheckedObject
  /** Its share of `capabilities.extensions`, by extension identifier. */
  extensions?(): { readonly [identifier: string]: UncheckedObject }
  /** Answers `completion/complete` for one type of `ref`. */
  readonly completes?: RefCompleter
  /** What `subscriptions/listen` may ask of it. */
  readonly listens?: readonly ListenFilter[]
  /** Whether its handlers send log messages; advertises `logging`. */
  readonly logs?: boolean
  /** Called once by the Engine, with the way to tell listeners of changes. */
  start?(signals: ModuleSignals): void
  /** Called when that Engine closes. */
  stop?(signals: ModuleSignals): Promise<void>
}

export interface Method {
  readonly descriptor: MethodDescriptor
  handle(params: UncheckedObject, exchange: Exchange): Outcome | Promise<Outcome>
}

export interface RefCompleter {
  /** For example `ref/prompt`. */
  readonly type: string
  complete(request: RefCompletion, exchange: Exchange): Promise<Completion>
}

export interface RefCompletion {
  /** `params.ref`, of which only `type` has been checked. */
  readonly ref: UncheckedObject
  readonly variable: string
  readonly prefix: string
  readonly arguments: { readonly [name: string]: string }
  readonly limit: number
}

/** One member of the filter of `subscriptions/listen` (basic/patterns/subscriptions). */
export interface ListenFilter {
  /** For example `toolsListChanged`. */
  readonly key: string
  /** The notification that legacy clients get unasked. */
  readonly topic?: string
  /** Takes what it can of the value and says what was taken, or undefined for nothing. */
  accept(value: unknown, exchange: Exchange, interest: Interest): Promise<unknown>
}

/** What one listener wants to hear of. */
export interface Interest {
  /** A notification without parameters, such as `notifications/tools/list_changed`. Resolves when it will be noticed. */
  topic(notification: string): Promise<void>
  /** Updates of one resource, under the URI as the client wrote it. False when it is one too many. */
  uri(uri: string): Promise<boolean>
  /** How many more URIs it takes. */
  readonly room: number
}

export interface ModuleSignals {
  /** Tells everyone who listens that a list has changed; many calls in a row make one notification. */
  listChanged(notification: string): void
}

/** A filter that is on or off and stands for one list-changed notification. */
export function topicFilter(key: string, notification: string): ListenFilter {
  return {
    key,
    topic: notification,
    accept: async (value, _exchange, interest) => {
      if (value !== true) return undefined
      await interest.topic(notification)
      return true
    },
  }
}

/** What a handler gives back. */
export type Outcome = ResultOutcome | PiecesOutcome | InputRequired

/** Members of the result as one object. */
export interface ResultOutcome {
  readonly kind: 'result'
  readonly value: object
  /** For cacheable methods; default `ttlMs` 0, private. */
  readonly hint?: CacheHint
}

/** Members of the result as JSON text and bytes, for what is too big to hold twice. */
export interface PiecesOutcome {
  readonly kind: 'pieces'
  /** Without the braces: `"contents":[...]`. */
  readonly members: readonly Piece[]
  readonly meta?: UncheckedObject
  readonly hint?: CacheHint
  /** Called after the last byte, or when nothing more will be sent. */
  readonly dispose?: () => PromiseLike<void>
}

/** Part of a message: JSON text, or bytes that the transport sends as base64 between the quotes. */
export type Piece = string | { readonly bytes: Uint8Array | ByteSource }

/** One request while it is answered. It is the Call that providers see. */
export interface Exchange extends Call {
  readonly era: Era
  readonly revision: Revision
  /** Declared by the client on this request or at `initialize`. */
  readonly clientCapabilities: UncheckedObject
  /** What the client says of itself; shown, never trusted. */
  readonly clientInfo: Implementation | undefined
  /** The most bytes that a message may have on this channel. */
  readonly maxFrame: number
  /** The most raw bytes that a read may return. */
  readonly maxRead: number
  /** What was answered to an earlier `input-required`; rejects state that was not sealed for this request and caller. */
  readonly answers: Answers | undefined
  progress(done: number, total?: number, message?: string): void
  /** Sends a log message if the client asked for this level. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /** @throws ShelfError `missing-capability` (-32021) unless the client declared all of these */
  requireClient(capabilities: UncheckedObject): void
  /** A place in the list of this query as text that the caller carries, and that nobody else can use. */
  sealCursor(query: string, after: Position): string
  /** The place again. @throws ShelfError `invalid-cursor` for one that is forged, foreign, expired, or of another query */
  openCursor(query: string, cursor: string): Position
  /** Tells whoever runs the server of an error that the answer does not carry. */
  report(error: unknown): void
  /** A page of a list as a result: opens the cursor in `params`, asks for a page that grows by position, seals the next. */
  listing<T>(params: UncheckedObject, list: Listing<T>): Promise<Outcome>
}

/** A list that is given out page by page. */
export interface Listing<T> {
  /** What a cursor is bound to beside the caller: the method, and the URI if the list is of one. */
  readonly query: string
  /** The member of the result that holds the items. */
  readonly member: string
  readonly hint?: CacheHint
  fetch(request: PageRequest): Promise<Page<T>>
  /** Items as the revision of the caller knows them. */
  shape?(items: readonly T[]): readonly unknown[]
}
