import { ShelfError } from '../errors.ts'
import { gaveUp } from '../library/index.ts'
import type { Clock, UncheckedObject } from '../protocol/index.ts'
import { CANCELLED, isObject, PING, PROGRESS } from '../protocol/index.ts'
import type { Asked } from './from-wire-error.ts'
import { fromWireError } from './from-wire-error.ts'
import { UnaskedRate } from './unasked-rate.ts'
import { PatientTimers } from './patient-timers.ts'
import type { ClientTransport, SendOptions } from './transport.ts'

export interface RpcRequest extends Asked {
  readonly params?: UncheckedObject
  /** Gives up: the server is told, and the request rejects with `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** How long the answer may take, in milliseconds; `Infinity` for a stream. */
  readonly timeoutMs: number
  readonly onProgress?: ((done: number, total?: number, message?: string) => void) | undefined
  /** Whether ending the stream of the request cancels it, as in the modern era over HTTP; else it is said in a message. */
  readonly cancelByStream: boolean
  /** Given up without a word, as `initialize` must be (2025-11-25, basic/utilities/cancellation). */
  readonly unsaid?: boolean
  /** Called with the id before the request leaves. */
  readonly onId?: ((id: number) => void) | undefined
}

export interface RpcHandlers {
  notification(method: string, params: UncheckedObject): void
  /** Something odd that ends nothing. */
  odd(message: string): void
  /** The connection is over. Called once, before its requests reject. */
  closed(reason: ShelfError): void
}

interface Pending {
  readonly request: RpcRequest
  readonly settle: (outcome: UncheckedObject | ShelfError) => void
}

/** More messages of a server than this in a second that nobody waits for are a flood, which ends the connection. */
const MOST_UNASKED = 20_000

/** What is odd is told in so many characters. */
const LONGEST_ODD = 1_000

/** So many answers to a server may wait until it reads them; to further requests of it there is none. */
const MOST_ANSWERS = 64
/** A request of a server with a longer id is not answered. */
const LONGEST_ID = 1_000

/**
 * JSON-RPC with one server over one connection: ids, answers, time, cancellation. It knows no method but those that
 * keep a conversation going.
 */
export class RpcPeer {
  readonly #transport: ClientTransport
  readonly #handlers: RpcHandlers
  readonly #pending = new Map<number, Pending>()
  readonly #timers: PatientTimers
  readonly #rate: UnaskedRate
  #nextId = 1
  #answering = 0
  #closed: ShelfError | undefined

  constructor(transport: ClientTransport, handlers: RpcHandlers, clock: Clock) {
    this.#transport = transport
    this.#handlers = handlers
    this.#timers = new PatientTimers(clock)
    this.#rate = new UnaskedRate(clock, MOST_UNASKED)
    Object.assign(transport, {
      onmessage: (message: unknown) => this.#receive(message),
      onwait: (over: Promise<void>) => void this.#timers.waitFor(over),
      onerror: (error: Error) => this.#odd(error.message.slice(0, LONGEST_ODD)),
      onclose: () => this.#end(transport.closeReason ?? new ShelfError('unavailable', 'The connection was closed', {})),
    } satisfies Partial<ClientTransport>)
  }

  get transport(): ClientTransport {
    return this.#transport
  }

  get closed(): boolean {
    return this.#closed !== undefined
  }

  /** How long a person was waited for, who logs in, in milliseconds. */
  get waitedMs(): number {
    return this.#timers.waitedMs
  }

  /** Why it is over, once it is. */
  get closeReason(): ShelfError | undefined {
    return this.#closed
  }

  async start(): Promise<void> {
    try {
      await this.#transport.start()
    } catch (error) {
      const reason = ShelfError.from(error)
      this.#end(reason)
      throw reason
    }
  }

  /** Settles with the result, or rejects with what the server said, or with why there is no answer. */
  request(method: string, request: RpcRequest): Promise<UncheckedObject> {
    const { signal, timeoutMs, cancelByStream, unsaid = false } = request
    const id = this.#nextId++
    request.onId?.(id)
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (signal?.aborted === true) return Promise.reject(gaveUp())
    return new Promise((resolve, reject) => {
      // Fallen back on another transport, a connection may have none from one request to the next.
      const stream = this.#transport.hasPerRequestStream === true ? new AbortController() : undefined
      const abort = (): void => giveUp(gaveUp())
      const settle = (outcome: UncheckedObject | ShelfError): void => {
        if (!this.#pending.delete(id)) return
        callOff()
        signal?.removeEventListener('abort', abort)
        if (outcome instanceof ShelfError) reject(outcome)
        else resolve(outcome)
      }
      const giveUp = (reason: ShelfError): void => {
        if (!this.#pending.has(id)) return
        settle(reason)
        if (!cancelByStream && !unsaid) this.#cancel(id, reason)
        stream?.abort()
      }
      const callOff = this.#timers.after(timeoutMs, () => giveUp(tookTooLong(method, timeoutMs)))
      this.#pending.set(id, { request, settle })
      signal?.addEventListener('abort', abort, { once: true })
      const onRequestStreamEnd = (reason?: ShelfError): void => settle(reason ?? brokeOff(method))
      const message = {
        jsonrpc: '2.0',
        id,
        method,
        ...(request.params !== undefined && { params: this.#withToken(id, request) }),
      }
      this.#post(message, { ...(stream && { requestSignal: stream.signal }), onRequestStreamEnd }).catch((error: unknown) =>
        settle(asFailure(error)),
      )
    })
  }

  #withToken(id: number, { params = {}, onProgress }: RpcRequest): UncheckedObject {
    if (onProgress === undefined) return params
    const meta = isObject(params['_meta']) ? params['_meta'] : {}
    return { ...params, _meta: { ...meta, progressToken: id } }
  }

  #cancel(id: number, { message }: ShelfError): void {
    this.#notify(CANCELLED.method, { requestId: id, reason: message })
  }

  /** Sends a notification; what becomes of it is the transport's. */
  #notify(method: string, params?: UncheckedObject): void {
    this.notify(method, params).catch(() => undefined)
  }

  async notify(method: string, params?: UncheckedObject): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed
    await this.#post({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) })
  }

  /** Rejects also for a transport that throws. */
  async #post(message: UncheckedObject, options?: SendOptions): Promise<void> {
    await this.#transport.send(message, options)
  }

  async close(): Promise<void> {
    this.#end(new ShelfError('unavailable', 'The connection was closed by this client', {}))
    await this.#transport.close()
  }

  #end(reason: ShelfError): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#handlers.closed(reason)
    for (const { settle } of this.#pending.values()) settle(reason)
  }

  #receive(message: unknown): void {
    // Arrays are of one legacy revision only, which no longer hides what they hold.
    for (const one of Array.isArray(message) ? (message as unknown[]) : [message]) {
      if (this.#closed !== undefined) return
      this.#receiveOne(one)
    }
  }

  #receiveOne(message: unknown): void {
    if (!isObject(message)) return this.#odd('A message that is no JSON object')
    const { id, method } = message
    if (typeof method === 'string') {
      if (!this.#rate.admits()) return this.#flooded()
      const params = isObject(message['params']) ? message['params'] : {}
      if (id === undefined) this.#notified(method, params)
      else this.#asked(id, method)
      return
    }
    // Some servers answer with the text of the number.
    const number = typeof id === 'string' && String(Number(id)) === id ? Number(id) : (id as number)
    const pending = this.#pending.get(number)
    if (pending === undefined) return this.#unmatched(number, message)
    if ('error' in message) return pending.settle(fromWireError(message['error'], pending.request))
    const { result } = message
    if (isObject(result)) return pending.settle(result)
    const { method: wanted } = pending.request
    pending.settle(new ShelfError('invalid-answer', `The server answered ${wanted} without a result`, { method: wanted }))
  }

  /** An error without an id is all that some servers say of a message they could not read. */
  #unmatched(id: unknown, { error }: UncheckedObject): void {
    // The late answer to a request that was given up is nothing odd, and nothing that may come without end.
    if (Number.isInteger(id) && (id as number) > 0 && (id as number) < this.#nextId)
      return this.#rate.admits() ? undefined : this.#flooded()
    const text = isObject(error) && typeof error['message'] === 'string' ? `: ${error['message'].slice(0, 200)}` : ''
    this.#odd(`An answer to no request${text}`)
  }

  #odd(message: string): void {
    if (this.#closed !== undefined) return
    if (this.#rate.admits()) this.#handlers.odd(message)
    else this.#flooded()
  }

  #flooded(): void {
    this.#end(new ShelfError('unavailable', `The server sent more than ${MOST_UNASKED} messages unasked in a second`, {}))
    this.#transport.close().catch(() => undefined)
  }

  #notified(method: string, params: UncheckedObject): void {
    if (method === PROGRESS.method) return this.#progressed(params)
    this.#handlers.notification(method, params)
  }

  #progressed({ progressToken, progress, total, message }: UncheckedObject): void {
    const pending = typeof progressToken === 'number' ? this.#pending.get(progressToken) : undefined
    if (typeof progress !== 'number') return
    pending?.request.onProgress?.(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    )
  }

  /** What a server asks of a legacy client: whether it lives, and what this one has not declared. */
  #asked(id: unknown, method: string): void {
    const text = typeof id === 'string' && id.length <= LONGEST_ID
    if (!text && typeof id !== 'number') return this.#odd('A request whose id is neither a number nor a short text')
    // A server that asks and does not read would fill this side's memory.
    if (this.#answering >= MOST_ANSWERS) return
    const answer =
      method === PING.method
        ? { jsonrpc: '2.0', id, result: {} }
        : { jsonrpc: '2.0', id, error: { code: -32_601, message: `This client has no ${method.slice(0, LONGEST_ID)}` } }
    this.#answering++
    this.#post(answer)
      .catch(() => undefined)
      .finally(() => this.#answering--)
  }
}

function brokeOff(method: string): ShelfError {
  return new ShelfError('unavailable', `The connection broke off before ${method} was answered`, {})
}

function tookTooLong(method: string, timeoutMs: number): ShelfError {
  return new ShelfError('timeout', `The server did not answer ${method} within ${timeoutMs} ms`, { afterMs: timeoutMs })
}

/** Transports of other packages reject with errors of their own: the request did not get through. */
function asFailure(error: unknown): ShelfError {
  const own = ShelfError.from(error)
  return own.code === 'internal' ? new ShelfError('unavailable', own.message, {}, { cause: own.cause }) : own
}
