import { randomBytes } from 'node:crypto'
import { ShelfError } from '../../errors.ts'
import type { Principal } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Peer } from '../../server/index.ts'
import type { ReplySink } from './reply-sink.ts'

/** A legacy client over HTTP (2025-11-25, basic/transports, Session Management). */
export interface Session {
  /** 128 random bits. */
  readonly id: string
  readonly peer: Peer
  /** The GET stream, while there is one. */
  stream: ReplySink | undefined
  /** Requests and streams that are open; a session that is busy is not idle. */
  busy: number
  lastUsed: number
}

/** Sessions by id, with an end to those that nobody uses. */
export class Sessions {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #limit: number
  readonly #all = new Map<string, Session>()
  #sweeping = false

  constructor(clock: Clock, limits: { readonly idleMs: number; readonly limit: number }) {
    this.#clock = clock
    this.#idleMs = limits.idleMs
    this.#limit = limits.limit
  }

  get size(): number {
    return this.#all.size
  }

  /** @throws ShelfError `busy` when there are too many */
  open(peer: Peer): Session {
    this.#expire()
    if (this.#all.size >= this.#limit) {
      peer.close()
      throw new ShelfError('busy', `This server serves ${this.#limit} sessions, no more: try again later`, {})
    }
    const session: Session = {
      id: randomBytes(16).toString('hex'),
      peer,
      stream: undefined,
      busy: 0,
      lastUsed: this.#clock.monotonic(),
    }
    this.#all.set(session.id, session)
    this.#sweepLater()
    return session
  }

  /** Whether there is a session of this id, and of this principal: of others nobody learns anything. */
  has(id: string, principal: Principal): boolean {
    return this.#all.get(id)?.peer.principal.id === principal.id
  }

  /** The session of this id, if it is this principal's: the id alone opens nothing. */
  find(id: string, principal: Principal): Session | undefined {
    const session = this.has(id, principal) ? this.#all.get(id) : undefined
    if (session === undefined) return undefined
    session.lastUsed = this.#clock.monotonic()
    return session
  }

  /** Keeps a session from being idle until the returned function is called. */
  hold(session: Session): () => void {
    session.busy++
    return () => {
      session.busy--
      session.lastUsed = this.#clock.monotonic()
    }
  }

  close(id: string): void {
    const session = this.#all.get(id)
    if (session === undefined) return
    this.#all.delete(id)
    session.peer.close()
    session.stream?.drop()
  }

  /** Ends what is sent unasked. Requests go on. */
  endStreams(): void {
    for (const { stream } of this.#all.values()) stream?.drop()
  }

  closeAll(): void {
    for (const id of this.#all.keys()) this.close(id)
  }

  #expire(): void {
    const before = this.#clock.monotonic() - this.#idleMs
    for (const session of this.#all.values()) if (session.busy === 0 && session.lastUsed < before) this.close(session.id)
  }

  /** One timer, only while there are sessions. */
  #sweepLater(): void {
    if (this.#sweeping || this.#all.size === 0) return
    this.#sweeping = true
    this.#clock.after(Math.min(this.#idleMs, 60_000), () => {
      this.#sweeping = false
      this.#expire()
      this.#sweepLater()
    })
  }
}
