import { ShelfError } from '../errors.ts'
import type { Call, Change, Library, LibraryWatcher } from '../library/index.ts'
import type { RequestId } from '../protocol/index.ts'
import { RESOURCES_CHANGED } from '../protocol/index.ts'
import { uriKey } from '../uri/index.ts'
import type { Limits } from './limits.ts'
import type { ListenerHost } from './listener.ts'
import { Listener } from './listener.ts'

/** All listeners of one server, and the one watch on its Library that serves them. */
export class Listeners implements ListenerHost {
  readonly #library: Library
  readonly #limits: Limits
  readonly #allows: (call: Call, uri: string) => boolean
  readonly #report: (error: unknown, uri: string) => void
  readonly #all = new Set<Listener>()
  readonly #byUri = new Map<string, Set<Listener>>()
  #watcher: LibraryWatcher | undefined

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

  /** Listens to the Library, of which nothing is watched yet. */
  async start(): Promise<void> {
    this.#watcher = await this.#library.watch((change) => this.#hear(change), 'asked')
  }

  async watchTopic(notification: string): Promise<void> {
    if (notification === RESOURCES_CHANGED.method) await this.#watcher?.addLists()
  }

  unwatchTopic(notification: string): void {
    if (notification === RESOURCES_CHANGED.method) this.#watcher?.removeLists()
  }

  async watchUri(key: string, uri: string, listener: Listener): Promise<void> {
    // What happened before this is told to the others first: the newcomer joins them after the call.
    const armed = this.#watcher?.add(uri)
    const known = this.#byUri.get(key)
    if (known === undefined) this.#byUri.set(key, new Set([listener]))
    else known.add(listener)
    try {
      await armed
    } catch (error) {
      this.#leave(key, listener)
      throw error
    }
  }

  unwatchUri(key: string, uri: string, listener: Listener): void {
    if (this.#leave(key, listener)) this.#watcher?.remove(uri)
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
    await this.#watcher?.[Symbol.asyncDispose]()
  }

  #leave(key: string, listener: Listener): boolean {
    const known = this.#byUri.get(key)
    if (known?.delete(listener) !== true) return false
    if (known.size === 0) this.#byUri.delete(key)
    return true
  }

  #hear(change: Change): void {
    if (change.kind === 'updated') {
      const key = uriKey(change.uri)
      for (const listener of this.#byUri.get(key) ?? []) listener.markUri(key)
      return
    }
    this.topicChanged(RESOURCES_CHANGED.method)
    if (change.kind === 'lost') for (const listener of this.#all) listener.markAll(change.under)
  }
}
