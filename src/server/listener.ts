import type { Call, Interest } from '../library/index.ts'
import { META_SUBSCRIPTION, RESOURCE_UPDATED } from '../protocol/index.ts'
import type { RequestId } from '../protocol/index.ts'
import { normalUri } from '../uri/index.ts'
import { notificationFrame } from './encode.ts'
import type { Sink } from './frame.ts'

/** What a Listener needs of those who keep it. */
export interface ListenerHost {
  /** How many URIs one listener may name. */
  readonly urisPerListener: number
  /** Asked at delivery: a permission that was lost stops the updates. */
  mayTell(uri: string, call: Call): boolean
  /** Resolves when changes of this URI will be heard; `key` is its normal form. */
  watchUri(key: string, uri: string, listener: Listener): Promise<void>
  unwatchUri(key: string, listener: Listener): void
  remove(listener: Listener): void
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
  /** By normal form; the value is how the client wrote it, which is what it is told. */
  readonly #uris = new Map<string, string>()
  readonly #dirtyTopics = new Set<string>()
  readonly #dirtyUris = new Set<string>()
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
    return [...this.#uris.values()]
  }

  get full(): boolean {
    return this.#uris.size >= this.#host.urisPerListener
  }

  topic(notification: string): void {
    this.#topics.add(notification)
  }

  hears(notification: string): boolean {
    return this.#topics.has(notification)
  }

  async uri(uri: string): Promise<boolean> {
    const key = normalUri(uri)
    if (key === undefined || this.#closed) return false
    if (this.#uris.has(key)) return true
    if (this.full) return false
    this.#uris.set(key, uri)
    try {
      await this.#host.watchUri(key, uri, this)
    } catch (error) {
      this.forget(uri)
      throw error
    }
    return true
  }

  forget(uri: string): void {
    const key = normalUri(uri)
    if (key === undefined || !this.#uris.delete(key)) return
    this.#dirtyUris.delete(key)
    this.#host.unwatchUri(key, this)
  }

  /** What is dirty is told from now on through this sink; undefined keeps it until there is one again. */
  attach(sink: Sink | undefined): void {
    this.#sink = sink
    this.#schedule()
  }

  markTopic(notification: string): void {
    if (!this.#topics.has(notification)) return
    this.#dirtyTopics.add(notification)
    this.#schedule()
  }

  markUri(key: string): void {
    if (!this.#uris.has(key)) return
    this.#dirtyUris.add(key)
    this.#schedule()
  }

  /** Everything below a URI may have changed. */
  markAll(under: string): void {
    for (const key of this.#uris.keys()) if (key.startsWith(under)) this.markUri(key)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#sink = undefined
    for (const key of this.#uris.keys()) this.#host.unwatchUri(key, this)
    this.#uris.clear()
    this.#host.remove(this)
  }

  #schedule(): void {
    if (this.#flushing || this.#sink === undefined || this.#dirtyTopics.size + this.#dirtyUris.size === 0) return
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
    for (const notification of this.#dirtyTopics) {
      this.#dirtyTopics.delete(notification)
      return notificationFrame(notification, this.#subscription && { _meta: this.#subscription })
    }
    for (const key of this.#dirtyUris) {
      this.#dirtyUris.delete(key)
      const uri = this.#uris.get(key)
      if (uri === undefined || !this.#host.mayTell(uri, this.call)) continue
      return notificationFrame(RESOURCE_UPDATED.method, this.#subscription ? { _meta: this.#subscription, uri } : { uri })
    }
    return undefined
  }
}
