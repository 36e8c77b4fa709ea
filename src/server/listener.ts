import { covers } from '../library/index.ts'
import type { Call, Interest } from '../library/index.ts'
import { META_SUBSCRIPTION, RESOURCE_UPDATED } from '../protocol/index.ts'
import type { RequestId } from '../protocol/index.ts'
import { normalUri, uriKey } from '../uri/index.ts'
import { notificationFrame } from './encode.ts'
import type { Sink } from './frame.ts'

/** What a Listener needs of those who keep it. */
export interface ListenerHost {
  /** How many URIs one listener may name. */
  readonly urisPerListener: number
  /** Asked at delivery: a permission that was lost stops the updates. */
  mayTell(uri: string, call: Call): boolean
  /** Resolves when changes behind this notification will be heard. */
  watchTopic(notification: string): Promise<void>
  unwatchTopic(notification: string): void
  /** Resolves when changes of this URI will be heard; `key` is its normal form. */
  watchUri(key: string, uri: string, listener: Listener): Promise<void>
  /** Takes the URI as it was written to `watchUri`. */
  unwatchUri(key: string, uri: string, listener: Listener): void
  remove(listener: Listener): void
}

/** A URI that a listener named. */
interface Named {
  /** How the client wrote it first, which is what it is told. */
  readonly uri: string
  /** Settles when its changes will be heard, for everyone who asks for it meanwhile. */
  readonly armed: Promise<void>
}

/**
 * Someone who wants to hear of changes: a stream of `subscriptions/listen`, or a legacy connection.
 * It remembers what is dirty, never what was said, so a listener that does not read costs the same
 * whatever happens.
 */
export class Listener implements Interest {
  readonly call: Call
  readonly #host: ListenerHost
  readonly #subscription: { readonly [META_SUBSCRIPTION]: RequestId } | undefined
  readonly #topics = new Set<string>()
  /** By normal form. */
  readonly #uris = new Map<string, Named>()
  /** Topics and normal forms of URIs, which never look alike, in the order in which they changed. */
  readonly #dirty = new Set<string>()
  #sink: Sink | undefined
  #flushing = false
  #closed = false

  /** @param subscription the id of the `subscriptions/listen` request; absent for a legacy connection */
  constructor(host: ListenerHost, call: Call, subscription?: RequestId) {
    this.#host = host
    this.call = call
    this.#subscription = subscription === undefined ? undefined : { [META_SUBSCRIPTION]: subscription }
  }

  get uris(): readonly string[] {
    return [...this.#uris.values()].map(({ uri }) => uri)
  }

  get room(): number {
    return Math.max(0, this.#host.urisPerListener - this.#uris.size)
  }

  /** Heard of from now on; resolves when it will also be noticed. */
  async topic(notification: string): Promise<void> {
    if (this.#closed || this.#topics.has(notification)) return
    // What happened before this is told to the others first.
    const watched = this.#host.watchTopic(notification)
    this.#topics.add(notification)
    await watched
  }

  hears(notification: string): boolean {
    return this.#topics.has(notification)
  }

  async uri(uri: string): Promise<boolean> {
    const key = normalUri(uri)
    if (key === undefined || this.#closed) return false
    let named = this.#uris.get(key)
    if (named === undefined) {
      if (this.room === 0) return false
      named = { uri, armed: this.#host.watchUri(key, uri, this) }
      this.#uris.set(key, named)
    }
    try {
      await named.armed
    } catch (error) {
      if (this.#uris.get(key) === named) this.#uris.delete(key)
      throw error
    }
    return true
  }

  forget(uri: string): void {
    const key = normalUri(uri)
    const named = key === undefined ? undefined : this.#uris.get(key)
    if (key === undefined || named === undefined) return
    this.#uris.delete(key)
    this.#dirty.delete(key)
    this.#host.unwatchUri(key, named.uri, this)
  }

  /** What is dirty is told from now on through this sink; undefined keeps it until there is one again. */
  attach(sink: Sink | undefined): void {
    this.#sink = sink
    this.#schedule()
  }

  markTopic(notification: string): void {
    if (!this.#topics.has(notification)) return
    this.#dirty.add(notification)
    this.#schedule()
  }

  markUri(key: string): void {
    if (!this.#uris.has(key)) return
    this.#dirty.add(key)
    this.#schedule()
  }

  /** Everything below a URI, or everything, may have changed. */
  markAll(under?: string): void {
    const prefix = under === undefined ? undefined : uriKey(under)
    for (const key of this.#uris.keys()) if (prefix === undefined || covers(prefix, key)) this.markUri(key)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#sink = undefined
    for (const [key, { uri }] of this.#uris) this.#host.unwatchUri(key, uri, this)
    this.#uris.clear()
    for (const notification of this.#topics) this.#host.unwatchTopic(notification)
    this.#topics.clear()
    this.#host.remove(this)
  }

  #schedule(): void {
    if (this.#flushing || this.#sink === undefined || this.#dirty.size === 0) return
    this.#flushing = true
    // One turn later, so that many changes in a row make one notification.
    queueMicrotask(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    try {
      for (;;) {
        const sink = this.#sink
        const frame = sink && this.#take()
        if (sink === undefined || frame === undefined) return
        await sink.notify(frame)
      }
    } finally {
      this.#flushing = false
    }
  }

  #take(): string | undefined {
    for (const key of this.#dirty) {
      this.#dirty.delete(key)
      if (this.#topics.has(key)) return notificationFrame(key, this.#subscription && { _meta: this.#subscription })
      const uri = this.#uris.get(key)?.uri
      if (uri === undefined || !this.#host.mayTell(uri, this.call)) continue
      return notificationFrame(RESOURCE_UPDATED.method, this.#subscription ? { _meta: this.#subscription, uri } : { uri })
    }
    return undefined
  }
}
