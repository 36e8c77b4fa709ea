import { settleable } from '../library/index.ts'
import type { ShelfError } from '../errors.ts'
import type { Clock, Implementation, UncheckedObject } from '../protocol/index.ts'
import { isObject } from '../protocol/index.ts'
import { envelope } from './envelope.ts'
import type { RpcPeer } from './rpc-peer.ts'
import type { ServerFacts } from './server-facts.ts'

export interface SessionRequest {
  readonly method: string
  readonly params?: UncheckedObject
  readonly uri?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  readonly onProgress?: ((done: number, total?: number, message?: string) => void) | undefined
  /** Called with the id before the request leaves. */
  readonly onId?: ((id: number) => void) | undefined
}

export interface SessionOptions {
  readonly info: Implementation
  readonly capabilities: UncheckedObject
  readonly clock: Clock
}

export type OnNotification = (method: string, params: UncheckedObject) => void

/** One connection to a server whose era is known: requests get what that era wants of them. */
export class Session {
  readonly facts: ServerFacts
  readonly #peer: RpcPeer
  readonly #meta: UncheckedObject
  readonly #clock: Clock
  readonly #listeners = new Set<OnNotification>()
  readonly #onLost = new Set<(reason: ShelfError) => void>()

  constructor(peer: RpcPeer, facts: ServerFacts, options: SessionOptions) {
    this.facts = facts
    this.#peer = peer
    this.#clock = options.clock
    this.#meta = facts.era === 'modern' ? envelope(facts.revision, options.info, options.capabilities) : {}
  }

  get closed(): boolean {
    return this.#peer.closed
  }

  /** Why it is over, once it is. */
  get closeReason(): ShelfError | undefined {
    return this.#peer.closeReason
  }

  /** Whether a request that is lost may be sent again: it had a stream of its own, and its loss says nothing of the server. */
  get repeats(): boolean {
    return this.#peer.transport.hasPerRequestStream === true
  }

  /** Whether the server can speak unasked: over HTTP a legacy server may refuse the stream for it. */
  async hears(): Promise<boolean> {
    return (await this.#peer.transport.hears?.()) ?? true
  }

  request(request: SessionRequest): Promise<UncheckedObject> {
    const { method, params = {}, ...rest } = request
    const modern = this.facts.era === 'modern'
    const cancelByStream = modern && this.#peer.transport.hasPerRequestStream === true
    const own = isObject(params['_meta']) ? params['_meta'] : {}
    const sent = modern ? { ...params, _meta: { ...own, ...this.#meta } } : params
    const cursor = 'cursor' in params
    return this.#peer.request(method, {
      ...rest,
      method,
      cursor,
      cancelByStream,
      // Legacy servers that are strict take no params where there is nothing to say.
      ...(Object.keys(sent).length > 0 && { params: sent }),
    })
  }

  /** Calls back after a while, unless the returned function is called before. */
  after(ms: number, call: () => void): () => void {
    return this.#clock.after(ms, call)
  }

  /** Calls back for each notification until the returned function is called. */
  listen(listener: OnNotification): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** The first notification that `pick` takes, as what it makes of it; `stop` ends the wait. */
  first<T extends object>(
    pick: (method: string, params: UncheckedObject) => T | undefined,
  ): { value: Promise<T>; stop: () => void } {
    const { promise: value, resolve } = settleable<T>()
    const stop = this.listen((method, params) => {
      const found = pick(method, params)
      if (found !== undefined) resolve(found)
    })
    return { value, stop }
  }

  /** Calls back once when the connection is lost. */
  whenLost(call: (reason: ShelfError) => void): () => void {
    this.#onLost.add(call)
    return () => this.#onLost.delete(call)
  }

  /** For whoever made the peer: what it heard. */
  notified(method: string, params: UncheckedObject): void {
    for (const listener of this.#listeners) listener(method, params)
  }

  lost(reason: ShelfError): void {
    for (const call of this.#onLost) call(reason)
    this.#onLost.clear()
  }

  close(): Promise<void> {
    return this.#peer.close()
  }
}
