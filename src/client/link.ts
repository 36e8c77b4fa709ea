import { ShelfError } from '../errors.ts'
import { gaveUp, settleable, unlessAborted } from '../library/index.ts'
import type { Clock, Era, Implementation, UncheckedObject } from '../protocol/index.ts'
import { negotiate } from './negotiate.ts'
import { Restarts } from './restarts.ts'
import { RpcPeer } from './rpc-peer.ts'
import type { OnNotification, SessionRequest } from './session.ts'
import { Session } from './session.ts'
import type { ClientTransport, Connect } from './transport.ts'

export interface LinkOptions {
  readonly info: Implementation
  readonly capabilities: UncheckedObject
  readonly connectTimeoutMs: number
  readonly probeMs: number
  readonly clock: Clock
  readonly random: () => number
  readonly era: Era | undefined
  odd(message: string): void
  /** Each connection that is open, before anything is asked of it. */
  opened(session: Session): void
  notified: OnNotification
}

/**
 * The connection to one server, made when it is first needed and made again when it is lost. Requests that come while it
 * may not be made again yet fail at once, with what went wrong last.
 */
export class Link {
  readonly #connect: Connect
  readonly #options: LinkOptions
  readonly #restarts: Restarts
  #session: Session | undefined
  #opening: Promise<Session> | undefined
  #lastFailure: ShelfError | undefined
  #era: Era | undefined
  readonly #closing = new AbortController()

  constructor(connect: Connect, options: LinkOptions) {
    this.#connect = connect
    this.#options = options
    this.#restarts = new Restarts(options.clock, options.random)
    this.#era = options.era
  }

  /** The open connection, if there is one. */
  get current(): Session | undefined {
    return this.#session
  }

  /** Milliseconds until a connection may be made; 0 for now. */
  get waitMs(): number {
    return this.#session === undefined ? this.#restarts.waitMs : 0
  }

  /** Why there is no connection, if the last one failed. */
  get lastFailure(): ShelfError | undefined {
    return this.#session === undefined ? this.#lastFailure : undefined
  }

  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** The connection, made if there is none. One attempt is shared by all who ask; a caller that gives up leaves it be. */
  async session(signal?: AbortSignal): Promise<Session> {
    if (signal?.aborted === true) throw gaveUp()
    if (this.closed) throw isClosed()
    if (this.#session !== undefined) return this.#session
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return unlessAborted(this.#opening, signal)
  }

  /** One request. One that a stream of its own lost, and no answer, is sent once more: everything asked here only reads. */
  async request(request: SessionRequest): Promise<UncheckedObject> {
    const session = await this.session(request.signal)
    try {
      return await session.request(request)
    } catch (error) {
      if (!this.#mayRepeat(session, error)) throw error
      await this.#pause(100 + 200 * this.#options.random(), request.signal)
      return (await this.session(request.signal)).request(request)
    }
  }

  /** With a process that ended the request may be what ended it; a request of its own may simply have broken off. */
  #mayRepeat(session: Session, error: unknown): boolean {
    return ShelfError.is(error, 'unavailable') && session.repeats && !this.closed
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const pause = new Promise<void>((resolve) => {
      this.#options.clock.after(ms, resolve)
    })
    return unlessAborted(pause, signal)
  }

  async #open(): Promise<Session> {
    if (this.#restarts.waitMs > 0) throw this.#notYet()
    this.#restarts.begun()
    try {
      const session = await this.#negotiated()
      // It may be over as soon as it was agreed upon.
      if (session.closeReason !== undefined) throw session.closeReason
      if (this.closed) {
        await session.close().catch(() => undefined)
        throw isClosed()
      }
      this.#restarts.opened()
      this.#session = session
      this.#lastFailure = undefined
      this.#options.opened(session)
      return session
    } catch (error) {
      const failure = this.closed ? isClosed() : ShelfError.from(error)
      this.#lastFailure = failure
      this.#restarts.failed()
      throw failure
    }
  }

  #notYet(): ShelfError {
    const wait = Math.ceil(this.#restarts.waitMs)
    const why = this.#lastFailure?.message ?? 'the connection was lost too often'
    return new ShelfError('unavailable', `${why} (the next attempt is in ${seconds(wait)})`, {})
  }

  async #negotiated(): Promise<Session> {
    const unknown = this.#era === undefined
    try {
      return await this.#attempt()
    } catch (error) {
      if (!unknown || this.#era !== 'legacy') throw error
    }
    this.#restarts.begun()
    try {
      return await this.#attempt()
    } catch (error) {
      // It was not the question that it ended for.
      this.#era = undefined
      throw error
    }
  }

  async #attempt(): Promise<Session> {
    const until = this.#options.clock.monotonic() + this.#options.connectTimeoutMs
    const transport = await this.#transport(until)
    let session: Session | undefined
    const peer = new RpcPeer(
      transport,
      {
        notification: (method, params) => {
          this.#options.notified(method, params)
          session?.notified(method, params)
        },
        odd: (message) => this.#options.odd(message),
        closed: (reason) => this.#lost(session, reason),
      },
      this.#options.clock,
    )
    let started = false
    try {
      await this.#inTime(peer.start(), until)
      started = true
      const { info, capabilities, probeMs, clock } = this.#options
      const remembered = this.#era
      const signal = this.#closing.signal
      const facts = await negotiate(peer, { info, capabilities, until, probeMs, clock, remembered, signal })
      this.#era = facts.era
      session = new Session(peer, facts, this.#options)
      return session
    } catch (error) {
      // Some legacy servers end when they are asked what they do not know; once more, with what they do.
      const ended = started && peer.closed && !this.closed && transport.hasPerRequestStream !== true
      if (ended && this.#era === undefined) this.#era = 'legacy'
      const over = peer.close().catch(() => undefined)
      // Whoever closes the client waits until nothing of it runs any more.
      if (this.closed) await over
      throw error
    }
  }

  /** A connection that is not started yet; one that comes too late is closed. */
  async #transport(until: number): Promise<ClientTransport> {
    const connecting = (async () => this.#connect())()
    try {
      return await this.#inTime(connecting, until)
    } catch (error) {
      connecting.then((late) => late.close()).catch(() => undefined)
      throw error
    }
  }

  /** The outcome of work, until a time of the monotonic clock and as long as this is not closed. */
  async #inTime<T>(work: Promise<T>, until: number): Promise<T> {
    const { clock, connectTimeoutMs: afterMs } = this.#options
    const late = settleable<never>()
    const callOff = clock.after(until - clock.monotonic(), () =>
      late.reject(new ShelfError('timeout', `The server could not be connected to within ${afterMs} ms`, { afterMs })),
    )
    try {
      return await Promise.race([unlessAborted(work, this.#closing.signal), late.promise])
    } finally {
      callOff()
    }
  }

  /** Leaves a connection whose server no longer answers; the next request makes another. */
  drop(session: Session, reason: ShelfError): void {
    this.#lost(session, reason)
    session.close().catch(() => undefined)
  }

  #lost(session: Session | undefined, reason: ShelfError): void {
    if (session === undefined || this.#session !== session) return
    this.#session = undefined
    this.#lastFailure = reason
    this.#restarts.lost()
    session.lost(reason)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const session = this.#session
    this.#session = undefined
    session?.lost(isClosed())
    await Promise.allSettled([session?.close(), this.#opening])
  }
}

function isClosed(): ShelfError {
  return new ShelfError('unavailable', 'This client is closed', {})
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 1_000)} s`
}
