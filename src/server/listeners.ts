import { ShelfError } from '../errors.ts'
import type { Call, Change, Library, Watcher } from '../library/index.ts'
import type { RequestId } from '../protocol/index.ts'
import { RESOURCES_CHANGED } from '../protocol/index.ts'
import { normalUri } from '../uri/index.ts'
import type { Limits } from './limits.ts'
import type { ListenerHost } from './listener.ts'
import { Listener } from './listener.ts'

/** A URI that somebody listens to: as the first of them wrote it, which is how it is taken back too. */
interface Watched {
  readonly uri: string
  readonly listeners: Set<Listener>
}

/** All listeners of one server, and the one watch on its Library that serves them. */
export class Listeners implements ListenerHost {
  readonly #library: Library
  readonly #limits: Limits
  readonly #allows: (call: Call, uri: string) => boolean
  readonly #report: (error: unknown, uri: string) => void
  readonly #all = new Set<Listener>()
  readonly #byUri = new Map<string, Watched>()
  #watcher: Promise<Watcher> | undefined

  constructor(
    library: Library,
    limits: Limits,
    allows: (call: Call, uri: string) => boolean,
    report: (error: unknown, uri: string) => void,
  ) {
    this.#library = library
    this.#limits = limits
    this.#allows = allows
    this.#report = report
  }

  get size(): number {
    return this.#all.size
  }

  get watchedUris(): number {
    return this.#byUri.size
  }

  get urisPerListener(): number {
    return this.#limits.urisPerListener
  }

  /** @throws ShelfError `busy` when there are too many */
  open(call: Call, subscription?: RequestId): Listener {
    if (this.#all.size >= this.#limits.maxListeners)
      throw new ShelfError('busy', `This server serves ${this.#limits.maxListeners} listeners, no more`, {})
    const listener = new Listener(this, call, subscription)
    this.#all.add(listener)
    return listener
  }

  remove(listener: Listener): void {
    this.#all.delete(listener)
  }

  /** Resolves when changes will be heard. */
  async arm(): Promise<Watcher> {
    if (this.#watcher === undefined) {
      const watcher = this.#library.watch((change) => this.#hear(change))
      this.#watcher = watcher
      watcher.catch(() => {
        if (this.#watcher === watcher) this.#watcher = undefined
      })
    }
    return this.#watcher
  }

  async watchUri(key: string, uri: string, listener: Listener): Promise<void> {
    const watcher = await this.arm()
    const known = this.#byUri.get(key)
    if (known !== undefined) {
      known.listeners.add(listener)
      return
    }
    this.#byUri.set(key, { uri, listeners: new Set([listener]) })
    await watcher.add(uri)
  }

  unwatchUri(key: string, listener: Listener): void {
    const known = this.#byUri.get(key)
    if (known === undefined || !known.listeners.delete(listener) || known.listeners.size > 0) return
    this.#byUri.delete(key)
    void this.#watcher?.then((watcher) => watcher.remove(known.uri))
  }

  topicChanged(notification: string): void {
    for (const listener of this.#all) listener.markTopic(notification)
  }

  /** Asked at delivery: a permission that was lost stops the updates, and so does a rule that fails. */
  mayTell(uri: string, call: Call): boolean {
    try {
      return this.#allows(call, uri) && this.#library.delivers({ kind: 'updated', uri }, call)
    } catch (error) {
      this.#report(error, uri)
      return false
    }
  }

  async close(): Promise<void> {
    for (const listener of this.#all) listener.close()
    const watcher = await this.#watcher?.catch(() => undefined)
    await watcher?.[Symbol.asyncDispose]()
  }

  #hear(change: Change): void {
    if (change.kind === 'updated') {
      const key = normalUri(change.uri) ?? change.uri
      for (const listener of this.#byUri.get(key)?.listeners ?? []) listener.markUri(key)
      return
    }
    this.topicChanged(RESOURCES_CHANGED.method)
    if (change.kind === 'lost') for (const listener of this.#all) listener.markAll(change.under ?? '')
  }
}
