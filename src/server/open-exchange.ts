import { ShelfError } from '../errors.ts'
import type {
  Answers,
  Exchange,
  Listing,
  Notice,
  Operation,
  Outcome,
  Page,
  PageRequest,
  Position,
  Principal,
} from '../library/index.ts'
import type { Era, Implementation, LogLevel, RequestId, Revision, RevisionFacts, UncheckedObject } from '../protocol/index.ts'
import { isObject, isRequestId, LOG_LEVELS, MESSAGE, PROGRESS, REVISIONS } from '../protocol/index.ts'
import type { EngineCore } from './engine-core.ts'
import { notificationFrame } from './encode.ts'
import type { Sink } from './frame.ts'
import { requestIdentity } from './sealing.ts'

/** Items of a list that could not be given whole, machine-readable, in `_meta` of the result. */
const META_NOTICES = 'dev.shelfmark/notices'

/** Who asks and in which words, as far as the era says. */
export interface Caller {
  readonly era: Era
  readonly revision: Revision
  readonly principal: Principal
  readonly clientCapabilities: UncheckedObject
  readonly clientInfo: Implementation | undefined
  /** The least severe log message the caller wants; undefined for none. */
  readonly logLevel: LogLevel | undefined
  /** Settles when changes of lists will be noticed; undefined when nothing needs to be waited for. */
  readonly armed: Promise<unknown> | undefined
}

/** One request while it is answered: the Call of providers, and the Exchange of modules. */
export class OpenExchange implements Exchange {
  readonly id: RequestId
  readonly method: string
  readonly params: UncheckedObject
  readonly caller: Caller
  readonly sink: Sink
  /** Called when it is cancelled though its answer was handed on. */
  onCancel: (() => void) | undefined
  readonly #engine: EngineCore
  #controller: AbortController | undefined
  #cancelled = false
  #done = false
  #progress = -Infinity
  #congested = false

  constructor(engine: EngineCore, caller: Caller, sink: Sink, id: RequestId, method: string, params: UncheckedObject) {
    this.#engine = engine
    this.caller = caller
    this.sink = sink
    this.id = id
    this.method = method
    this.params = params
  }

  get era(): Era {
    return this.caller.era
  }

  get revision(): Revision {
    return this.caller.revision
  }

  get principal(): Principal {
    return this.caller.principal
  }

  get clientCapabilities(): UncheckedObject {
    return this.caller.clientCapabilities
  }

  get clientInfo(): Implementation | undefined {
    return this.caller.clientInfo
  }

  get maxFrame(): number {
    return this.sink.maxFrame
  }

  get maxRead(): number {
    return this.#engine.limits.maxRead
  }

  get cancelled(): boolean {
    return this.#cancelled
  }

  /** Made on first use: an eager one costs 5 microseconds on Node 20. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get answers(): Answers | undefined {
    const { inputResponses, requestState } = this.params
    if (inputResponses === undefined && requestState === undefined) return undefined
    let identity: string
    try {
      identity = requestIdentity(this.method, this.params, this.#engine.questionKeys)
    } catch {
      throw new ShelfError('invalid-params', 'params are nested too deeply', {})
    }
    return this.#engine.sealing.openAnswers(this.params, identity, this.principal.id, this.#engine.limits.stateTtlMs)
  }

  cancel(): void {
    this.#cancelled = true
    this.#done = true
    this.#controller?.abort()
    this.onCancel?.()
  }

  /** No notification about this request leaves after this. */
  finish(): void {
    this.#done = true
  }

  allows(operation: Operation, uri: string): boolean {
    return this.#engine.allows(this.principal, operation, uri)
  }

  progress(done: number, total?: number, message?: string): void {
    const meta = this.params['_meta']
    const progressToken = isObject(meta) ? meta['progressToken'] : undefined
    if (this.#done || !isRequestId(progressToken) || done <= this.#progress) return
    this.#progress = done
    const facts: RevisionFacts = REVISIONS[this.revision]
    this.#notify(PROGRESS.method, {
      progressToken,
      progress: done,
      ...(total !== undefined && { total }),
      ...(message !== undefined && facts.progressMessage && { message }),
    })
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const least = this.caller.logLevel
    if (this.#done || least === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return
    this.#notify(MESSAGE.method, { level, ...(logger !== undefined && { logger }), data })
  }

  requireClient(capabilities: UncheckedObject): void {
    if (contains(this.clientCapabilities, capabilities)) return
    throw new ShelfError(
      'missing-capability',
      `This needs client capabilities that were not declared: ${Object.keys(capabilities).join(', ')}`,
      {
        requiredCapabilities: capabilities,
      },
    )
  }

  sealCursor(query: string, after: Position): string {
    return this.#engine.sealing.sealCursor({ index: 0, after }, query, this.principal.id)
  }

  openCursor(query: string, cursor: string): Position {
    return this.#engine.sealing.openCursor(cursor, query, this.principal.id, this.#engine.limits.cursorTtlMs).after
  }

  report(error: unknown): void {
    this.#engine.report(error, { method: this.method })
  }

  async listing<T>(params: UncheckedObject, list: Listing<T>): Promise<Outcome> {
    if (this.caller.armed !== undefined) await this.caller.armed
    const { sealing, limits } = this.#engine
    const { cursor } = params
    if (cursor !== undefined && typeof cursor !== 'string') {
      throw new ShelfError('invalid-params', 'params.cursor must be a string', { param: 'cursor' })
    }
    // An empty cursor is what some clients send for "from the beginning".
    const mark =
      cursor === undefined || cursor === ''
        ? undefined
        : sealing.openCursor(cursor, list.query, this.principal.id, limits.cursorTtlMs)
    const index = mark?.index ?? 0
    let limit = Math.min(limits.largestPage, limits.firstPage * 2 ** Math.min(index, 20))
    for (;;) {
      const request: PageRequest = mark === undefined ? { limit } : { limit, after: mark.after }
      const page = await list.fetch(request)
      const items = JSON.stringify(list.shape === undefined ? page.items : list.shape(page.items))
      // A provider that gives more than it was asked for would give as much again: its page stands as it is.
      if (items.length > limits.maxPageBytes && page.items.length > 1 && page.items.length <= limit) {
        limit = Math.max(1, Math.floor((page.items.length * limits.maxPageBytes) / items.length / 2))
        continue
      }
      const next =
        page.next === undefined
          ? ''
          : `,"nextCursor":"${sealing.sealCursor({ index: index + 1, after: page.next }, list.query, this.principal.id)}"`
      return {
        kind: 'pieces',
        members: [`"${list.member}":${items}${next}`],
        ...(list.hint && { hint: list.hint }),
        ...this.#noticesOf(page),
      }
    }
  }

  /** What the caller is told of a part that is missing. Why it failed is for the log of this side. */
  #noticesOf({ notices = [] }: Page<unknown>): { meta?: { [META_NOTICES]: readonly Notice[] } } {
    if (notices.length === 0) return {}
    for (const { cause } of notices) if (cause !== undefined) this.#engine.report(cause, { method: this.method })
    return { meta: { [META_NOTICES]: notices.map(({ cause: _kept, ...told }) => told) } }
  }

  /** What a full channel cannot take is left out: progress and log messages are not worth a queue. */
  #notify(method: string, params: object): void {
    if (this.#congested) return
    const sent = this.sink.notify(notificationFrame(method, params))
    if (sent === undefined) return
    this.#congested = true
    void sent.then(() => {
      this.#congested = false
    })
  }
}

/** True when every capability in `needed` is declared, at every depth. */
function contains(declared: UncheckedObject, needed: UncheckedObject): boolean {
  return Object.entries(needed).every(([name, value]) => {
    const found = declared[name]
    return isObject(value) ? isObject(found) && contains(found, value) : found !== undefined
  })
}
