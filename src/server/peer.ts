import { ShelfError } from '../errors.ts'
import type { InputRequired, Method, Outcome, Piece, Principal } from '../library/index.ts'
import type { Message, RequestId, Revision } from '../protocol/index.ts'
import {
  CANCELLED,
  INITIALIZE,
  INITIALIZED,
  isRequestId,
  LATEST_LEGACY,
  PING,
  readMessage,
  REVISIONS,
  toWireError,
} from '../protocol/index.ts'
import { collectBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import { errorFrame, inputRequiredFrame, legacyFrame, modernFrame } from './encode.ts'
import type { EngineCore } from './engine-core.ts'
import { isModern, readEnvelope } from './envelope.ts'
import type { Failure, Frame, Sink } from './frame.ts'
import { fits, frameBytes } from './frame.ts'
import type { RequestHeaders } from './headers.ts'
import { checkHeaders } from './headers.ts'
import type { LegacySession } from './legacy-session.ts'
import type { Caller } from './open-exchange.ts'
import { OpenExchange } from './open-exchange.ts'
import { Outgoing } from './outgoing.ts'
import { OWN_METHODS } from './own-methods.ts'
import { capabilitiesFor, inputRequiredValue, requestIdentity } from './sealing.ts'

type Request = Extract<Message, { kind: 'request' }>

export interface PeerOptions {
  readonly principal: Principal
  /** On HTTP: revisions without Streamable HTTP are not agreed on. Default false. */
  readonly http?: boolean
}

/**
 * One client on one channel: a process on stdio, a legacy HTTP session, or a single modern HTTP request.
 * It takes decoded messages and answers into the sink that came with each; nothing that it is sent makes it throw.
 */
export class Peer implements Connection {
  readonly core: EngineCore
  readonly http: boolean
  legacy: LegacySession | undefined
  readonly #inFlight = new Map<RequestId, OpenExchange>()
  /** Those in flight that count against the limit, and those that wait for one of them to end. */
  readonly #begun = new Set<OpenExchange>()
  readonly #waiting = new Map<OpenExchange, Method>()
  #principal: Principal
  #outbox: Sink | undefined
  #listeningEnded = false
  #listenEnds: Set<() => void> | undefined
  #windingDown = false
  #closed = false

  constructor(core: EngineCore, options: PeerOptions) {
    this.core = core
    this.#principal = options.principal
    this.http = options.http ?? false
  }

  get principal(): Principal {
    return this.#principal
  }

  /** The legacy revision that was agreed on, if any. */
  get revision(): Revision | undefined {
    return this.legacy?.revision
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Whether a request of this id is in flight. */
  isInFlight(id: RequestId): boolean {
    return this.#inFlight.has(id)
  }

  /** Requests that wait until others have been answered. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Where unasked notifications of the legacy era go: the stdio channel, or the GET stream while there is one. */
  get outbox(): Sink | undefined {
    return this.#outbox
  }

  attach(outbox: Sink | undefined): void {
    this.#outbox = outbox
    if (this.legacy?.initialized) this.legacy.listener.attach(outbox)
  }

  /**
   * Takes one decoded message.
   *
   * @param headers on HTTP: the headers that must agree with a modern body
   * @returns whether the sink will get a response, or be dropped
   */
  receive(value: unknown, sink: Sink, headers?: RequestHeaders): boolean {
    if (Array.isArray(value)) return this.#receiveBatch(value, sink, headers)
    const message = readMessage(value)
    if (message.kind === 'notification') this.#notification(message)
    else if (message.kind === 'request') this.#request(message, sink, headers)
    else if (message.kind === 'invalid') this.#reject(message.id, sink, new ShelfError('invalid-request', message.reason, {}))
    return message.kind === 'request' || message.kind === 'invalid'
  }

  /** Takes the text of one message; text that is not JSON is answered with -32700. */
  receiveText(text: string, sink: Sink, headers?: RequestHeaders): boolean {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      this.refuse(sink, new ShelfError('parse-error', 'Not valid JSON', {}))
      return true
    }
    return this.receive(value, sink, headers)
  }

  /** Answers a message that the transport could not even read. */
  refuse(sink: Sink, error: ShelfError): void {
    this.#reject(undefined, sink, error)
  }

  /** The client gave up on a request, or is gone for this one. */
  cancel(id: RequestId): void {
    const exchange = this.#inFlight.get(id)
    if (exchange === undefined || exchange.cancelled) return
    exchange.cancel()
    if (this.#waiting.delete(exchange)) this.#end(exchange)
    exchange.sink.drop()
  }

  /** The same client came with a newer token: its rights are those of that from now on, for what it hears of, too. */
  renew(principal: Principal): void {
    this.#principal = principal
  }

  untilListeningEnds(signal: AbortSignal): Promise<void> {
    if (this.#listeningEnded) return Promise.resolve()
    return this.core.untilClosed(signal, (this.#listenEnds ??= new Set()))
  }

  /** Ends listen streams with their results, those that are about to begin too. */
  endListening(): void {
    this.#listeningEnded = true
    for (const end of this.#listenEnds ?? []) end()
  }

  /** Requests that come from now on are refused; those in flight go on. */
  windDown(): void {
    this.#windingDown = true
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#outbox = undefined
    for (const id of this.#inFlight.keys()) this.cancel(id)
    this.legacy?.listener.close()
  }

  #receiveBatch(values: readonly unknown[], sink: Sink, headers: RequestHeaders | undefined): boolean {
    const { legacy } = this
    const { maxBatch } = this.core.limits
    if (legacy === undefined || !REVISIONS[legacy.revision].batches || values.length === 0 || values.length > maxBatch) {
      const why = values.length > maxBatch ? `An array holds at most ${maxBatch} messages` : 'One message at a time, not an array'
      this.#reject(undefined, sink, new ShelfError('invalid-request', why, {}))
      return true
    }
    return collectBatch(values, sink, (value, inner) => {
      const message = readMessage(value)
      if (message.kind !== 'request' || message.method !== INITIALIZE.method) return this.receive(value, inner, headers)
      this.#reject(message.id, inner, new ShelfError('invalid-request', 'initialize must not be part of an array', {}))
      return true
    })
  }

  #request(message: Request, sink: Sink, headers: RequestHeaders | undefined): void {
    const { id, method: name, params } = message
    const modern =
      isModern(params, headers?.version) || (this.legacy === undefined && name !== INITIALIZE.method && name !== PING.method)
    let exchange: OpenExchange
    let method: Method
    let counts: boolean
    try {
      if (this.#windingDown) throw new ShelfError('unavailable', 'The server is closing', {})
      const caller = modern ? this.#modernCaller(message, headers) : this.#legacyCaller()
      if (this.#inFlight.has(id))
        throw new ShelfError('invalid-request', `The id ${JSON.stringify(id)} is in use by a request in flight`, {})
      exchange = new OpenExchange(this.core, caller, sink, id, name, params)
      const own = OWN_METHODS.get(name)
      const found = own?.descriptor.eras.includes(caller.era) ? own.on(this, exchange) : this.core.method(name, caller.era)
      if (found === undefined)
        throw new ShelfError('method-not-found', `Method not found: ${name.slice(0, 200)}`, { method: name })
      method = found
      counts = own === undefined
      if (counts) this.#refuseCrowd()
    } catch (error) {
      this.#reject(id, sink, error, modern ? 'modern' : 'legacy')
      return
    }
    this.#inFlight.set(id, exchange)
    if (!counts) this.#run(exchange, method)
    else if (this.#begun.size < this.core.limits.requestsPerPeer) this.#begin(exchange, method)
    else this.#waiting.set(exchange, method)
  }

  /** A channel is read while requests wait, since what cancels them comes the same way: so they must not be without end. */
  #refuseCrowd(): void {
    const { requestsPerPeer, waitingPerPeer } = this.core.limits
    if (this.#begun.size < requestsPerPeer || this.#waiting.size < waitingPerPeer) return
    throw new ShelfError('busy', `${waitingPerPeer} requests wait already: send more when some have been answered`, {})
  }

  #begin(exchange: OpenExchange, method: Method): void {
    this.#begun.add(exchange)
    this.#run(exchange, method)
  }

  #run(exchange: OpenExchange, method: Method): void {
    try {
      const outcome = method.handle(exchange.params, exchange)
      if (outcome instanceof Promise) {
        outcome.then(
          (value) => this.#answer(exchange, method, value),
          (error: unknown) => this.#fail(exchange, error),
        )
      } else this.#answer(exchange, method, outcome)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #notification(message: Extract<Message, { kind: 'notification' }>): void {
    if (message.method === INITIALIZED.method) {
      this.legacy?.start(this.#outbox)
    } else if (message.method === CANCELLED.method) {
      const { requestId } = message.params
      if (isRequestId(requestId)) this.cancel(requestId)
    }
  }

  #modernCaller(message: Request, headers: RequestHeaders | undefined): Caller {
    const envelope = readEnvelope(message.params, headers)
    if (headers !== undefined) checkHeaders(headers, message.method, message.params, this.core.descriptor(message.method))
    const { revision, clientCapabilities, clientInfo, logLevel } = envelope
    return { era: 'modern', principal: this.principal, revision, clientCapabilities, clientInfo, logLevel, armed: undefined }
  }

  #legacyCaller(): Caller {
    const { legacy } = this
    return {
      era: 'legacy',
      revision: legacy?.revision ?? LATEST_LEGACY,
      principal: this.principal,
      clientCapabilities: legacy?.clientCapabilities ?? {},
      clientInfo: legacy?.clientInfo,
      logLevel: legacy?.logLevel,
      armed: legacy?.armed,
    }
  }

  #answer(exchange: OpenExchange, method: Method, outcome: Outcome): void {
    const dispose = outcome.kind === 'pieces' ? this.#once(exchange, outcome.dispose) : undefined
    if (exchange.cancelled) {
      this.#end(exchange)
      dispose?.()
      return
    }
    let frame: Frame
    try {
      frame =
        outcome.kind === 'input-required' ? this.#askInput(exchange, method, outcome) : this.#encode(exchange, method, outcome)
      if (!fits(frame, exchange.sink.maxFrame)) throw tooLarge(frameBytes(frame), exchange.sink.maxFrame)
    } catch (error) {
      dispose?.()
      this.#fail(exchange, error)
      return
    }
    exchange.finish()
    const end = (): void => {
      this.#end(exchange)
      dispose?.()
    }
    const sent = exchange.sink.respond(typeof frame === 'string' ? frame : this.#outgoing(exchange, frame, end))
    if (sent === undefined) end()
    else {
      sent.then(end, (error: unknown) => {
        // The bytes ran out half-way. Channels on which another message can follow say so.
        dispose?.()
        this.#fail(exchange, error)
      })
    }
  }

  /** What is cancelled before any of it has left is let go of at once. */
  #outgoing(exchange: OpenExchange, pieces: readonly Piece[], end: () => void): Frame {
    const outgoing = new Outgoing(pieces, this.core.clock)
    exchange.onCancel = () => {
      outgoing.cancel()
      if (!outgoing.begun) end()
    }
    return outgoing.frame
  }

  #encode(exchange: OpenExchange, method: Method, outcome: Exclude<Outcome, InputRequired>): Frame {
    return exchange.era === 'legacy'
      ? legacyFrame(exchange.id, outcome)
      : modernFrame(exchange.id, outcome, method.descriptor.cacheable === true, this.core.envelope)
  }

  #askInput(exchange: OpenExchange, method: Method, outcome: InputRequired): Frame {
    if (method.descriptor.asksInput !== true) throw new ShelfError('internal', `${exchange.method} must not ask for input`, {})
    if (exchange.era === 'legacy') {
      throw new ShelfError(
        'unsupported',
        `This needs more input, which revision ${exchange.revision} cannot carry: use a client of 2026-07-28 or later`,
        {
          operation: exchange.method,
        },
      )
    }
    exchange.requireClient(capabilitiesFor(outcome))
    const { sealing } = this.core
    const identity = requestIdentity(exchange.method, exchange.params, this.core.questionKeys)
    const value = inputRequiredValue(outcome, (state) => sealing.sealState(state, identity, this.principal.id))
    return inputRequiredFrame(exchange.id, value, this.core.envelope)
  }

  #fail(exchange: OpenExchange, error: unknown): void {
    const { cancelled, sink, id, era } = exchange
    this.#end(exchange)
    if (cancelled) return
    this.#report(exchange, error)
    const wire = toWireError(error, era)
    void sink.respond(errorFrame(id, wire), { code: wire.code, era, rejected: false })
  }

  #reject(
    id: RequestId | undefined,
    sink: Sink,
    error: unknown,
    era: Failure['era'] = this.legacy === undefined ? 'modern' : 'legacy',
  ): void {
    const wire = toWireError(error, era)
    void sink.respond(errorFrame(id, wire), { code: wire.code, era, rejected: true })
  }

  #end(exchange: OpenExchange): void {
    exchange.finish()
    if (this.#inFlight.get(exchange.id) === exchange) this.#inFlight.delete(exchange.id)
    if (this.#begun.delete(exchange) && this.#waiting.size > 0) queueMicrotask(() => this.#beginNext())
  }

  /** As many as there is room for. */
  #beginNext(): void {
    for (const [exchange, method] of this.#waiting) {
      if (this.#begun.size >= this.core.limits.requestsPerPeer) return
      this.#waiting.delete(exchange)
      this.#begin(exchange, method)
    }
  }

  #report({ method, params }: OpenExchange, error: unknown): void {
    const { uri } = params
    this.core.report(error, typeof uri === 'string' ? { method, uri } : { method })
  }

  /** Disposes once, whoever asks for it. What cannot be let go of is reported: its answer has left already. */
  #once(exchange: OpenExchange, dispose: (() => PromiseLike<void>) | undefined): (() => void) | undefined {
    if (dispose === undefined) return undefined
    let left: typeof dispose | undefined = dispose
    const release = async (): Promise<void> => {
      const once = left
      left = undefined
      await once?.()
    }
    return () => {
      release().catch((error: unknown) => this.#report(exchange, error))
    }
  }
}

function tooLarge(size: number, limit: number): ShelfError {
  return new ShelfError('too-large', `The answer has ${size} bytes as a message; this channel carries ${limit}`, { size, limit })
}
