import type { ClientTransport, Connect } from '../../client/index.ts'
import { ShelfError } from '../../errors.ts'
import type { UncheckedObject } from '../../protocol/index.ts'
import { CANCELLED, DISCOVER, INITIALIZE, isObject } from '../../protocol/index.ts'
import type { RawAnswer } from './raw-answer.ts'

export interface RawRequest {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Whether ending the stream of the request cancels it. */
  readonly cancelByStream: boolean
  /** What the largest answers are about. */
  readonly subject?: string | undefined
}

/** The largest message of the server. */
export interface LargestFrame {
  readonly bytes: number
  readonly subject: string
}

/** What is kept of each kind of thing that the server sends unasked or wrong. */
const MOST_KEPT = 50

/** Above the ids of the client on the same connection. */
const FIRST_ID = 1_000_001

interface Waiting {
  readonly subject: string
  settle(answer: RawAnswer): void
}

/**
 * Listens in on a client's connection, and asks over it what a client would smooth over. Answers to its own requests
 * do not reach the client.
 */
export class Wire {
  /** Lines that are no message, frames that are too long: what the transport could not hand on. */
  readonly odd: ShelfError[] = []
  /** Messages that are none of the protocol. */
  readonly malformed: unknown[] = []
  /** What the server asked of a client that declared nothing. */
  readonly asked: UncheckedObject[] = []
  /** Answers whose id came back as another type. */
  readonly changedIds: unknown[] = []
  /** How `initialize` or `server/discover` was answered, whichever was answered well last. */
  opening: { readonly method: string; readonly result: UncheckedObject } | undefined
  largest: LargestFrame = { bytes: 0, subject: '' }
  readonly #waiting = new Map<number, Waiting>()
  readonly #openings = new Map<unknown, string>()
  readonly #listeners = new Set<(method: string, params: UncheckedObject) => void>()
  #transport: ClientTransport | undefined
  /** The same, also once it is gone. */
  #last: ClientTransport | undefined
  #nextId = FIRST_ID

  /** Whether each request has a stream of its own, as over HTTP. */
  get perRequest(): boolean {
    return this.#last?.hasPerRequestStream === true
  }

  /** The same connection, listened to. */
  over(connect: Connect): Connect {
    return async () => this.#tap(await connect())
  }

  #tap(inner: ClientTransport): ClientTransport {
    const outer: ClientTransport = {
      get hasPerRequestStream() {
        return inner.hasPerRequestStream === true
      },
      get closeReason() {
        return inner.closeReason
      },
      start: () => inner.start(),
      close: () => inner.close(),
      send: (message, options) => {
        const { id, method } = isObject(message) ? message : {}
        if (method === INITIALIZE.method || method === DISCOVER.method) this.#openings.set(id, method)
        return inner.send(message, options)
      },
      hears: () => inner.hears?.() ?? Promise.resolve(true),
      setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    }
    const onmessage = (message: unknown): void => {
      for (const one of Array.isArray(message) ? (message as unknown[]) : [message])
        if (!this.#receive(one)) outer.onmessage?.(one)
    }
    const onerror = (error: Error): void => keep(this.odd, ShelfError.from(error))
    const onclose = (): void => {
      const reason = inner.closeReason ?? new ShelfError('unavailable', 'The connection was closed', {})
      for (const [id, waiting] of this.#waiting) waiting.settle({ kind: 'lost', id, reason })
      if (this.#transport === inner) this.#transport = undefined
      outer.onclose?.()
    }
    Object.assign(inner, { onmessage, onerror, onclose } satisfies Partial<ClientTransport>)
    this.#transport = inner
    this.#last = inner
    return outer
  }

  /** Whether the message was an answer to one of our own requests. */
  #receive(message: unknown): boolean {
    if (!isMessage(message)) keep(this.malformed, message)
    if (!isObject(message)) return false
    const { id, method } = message
    const bytes = Buffer.byteLength(JSON.stringify(message))
    if (typeof method === 'string') {
      if (bytes > this.largest.bytes) this.largest = { bytes, subject: method }
      const params = isObject(message['params']) ? message['params'] : {}
      if (id !== undefined) keep(this.asked, message)
      else for (const listener of this.#listeners) listener(method, params)
      return false
    }
    const waiting = this.#waiting.get(Number(id))
    const opening = this.#openings.get(id)
    if (bytes > this.largest.bytes) this.largest = { bytes, subject: waiting?.subject ?? opening ?? '' }
    if (opening !== undefined && isObject(message['result'])) this.opening = { method: opening, result: message['result'] }
    // The late answer to a request that was given up is nothing for the client either.
    if (waiting === undefined) return typeof id === 'number' && id >= FIRST_ID
    if (typeof id !== 'number') keep(this.changedIds, id)
    waiting.settle(
      // Some write both, one of them null.
      'error' in message && (message['error'] !== null || !('result' in message))
        ? { kind: 'error', id: Number(id), error: message['error'] }
        : { kind: 'result', id: Number(id), result: message['result'] },
    )
    return true
  }

  /** Calls back for each notification until the returned function is called. */
  listen(listener: (method: string, params: UncheckedObject) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Asks, and says what came of it; never rejects. */
  request(method: string, params: UncheckedObject | undefined, request: RawRequest): Promise<RawAnswer> {
    return this.call(method, params, request).answer
  }

  /** The same, with the id at once. */
  call(
    method: string,
    params: UncheckedObject | undefined,
    { timeoutMs, signal, cancelByStream, subject = method }: RawRequest,
  ): { readonly id: number; readonly answer: Promise<RawAnswer> } {
    const id = this.#nextId++
    const transport = this.#transport
    const answer = new Promise<RawAnswer>((resolve) => {
      const stream = new AbortController()
      const settle = (settled: RawAnswer): void => {
        if (!this.#waiting.delete(id)) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        resolve(settled)
      }
      const giveUp = (): void => {
        settle({ kind: 'silent', id, reason: signal?.aborted === true ? 'given up' : `no answer within ${timeoutMs} ms` })
        stream.abort()
        if (!cancelByStream) transport?.send(cancelled(id)).catch(() => undefined)
      }
      const timer = setTimeout(giveUp, timeoutMs)
      signal?.addEventListener('abort', giveUp, { once: true })
      this.#waiting.set(id, { subject, settle })
      const lost = (error: unknown): void => settle({ kind: 'lost', id, reason: ShelfError.from(error) })
      if (signal?.aborted === true) return giveUp()
      if (transport === undefined) return lost(new ShelfError('unavailable', 'The connection is closed', {}))
      const message = { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }
      const onRequestStreamEnd = (reason?: ShelfError): void =>
        lost(reason ?? new ShelfError('unavailable', `The stream ended before ${method} was answered`, {}))
      transport.send(message, { requestSignal: stream.signal, onRequestStreamEnd }).catch(lost)
    })
    return { id, answer }
  }
}

function cancelled(requestId: number): unknown {
  return { jsonrpc: '2.0', method: CANCELLED.method, params: { requestId, reason: 'No longer wanted' } }
}

function keep<T>(list: T[], one: T): void {
  if (list.length < MOST_KEPT) list.push(one)
}

/** What JSON-RPC calls a message: a method, or an id with either a result or an error. */
function isMessage(message: unknown): boolean {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return false
  if ('method' in message) return typeof message['method'] === 'string' && !('result' in message) && !('error' in message)
  return 'result' in message !== 'error' in message
}
