import type { Implementation, LogLevel, Revision, UncheckedObject } from '../protocol/index.ts'
import { normalUri } from '../uri/index.ts'
import type { Sink } from './frame.ts'
import type { Listener } from './listener.ts'

/** A subscription on its way: its URI in normal form, and whether an unsubscribe came after it. */
interface Asking {
  readonly uri: string | undefined
  takenBack: boolean
}

/** What a legacy client said at `initialize`, and what it hears of since. */
export class LegacySession {
  readonly revision: Revision
  readonly clientCapabilities: UncheckedObject
  readonly clientInfo: Implementation | undefined
  readonly listener: Listener
  /** What log messages it wants; until it says otherwise, all but `debug` (2025-11-25, server/utilities/logging). */
  logLevel: LogLevel = 'info'
  /** Until changes of lists are noticed: a list that is given before could change without a word. Undefined after that. */
  armed: Promise<unknown> | undefined
  #initialized = false
  readonly #asking = new Set<Asking>()

  constructor(
    revision: Revision,
    clientCapabilities: UncheckedObject,
    clientInfo: Implementation | undefined,
    listener: Listener,
    armed: Promise<unknown>,
  ) {
    this.revision = revision
    this.clientCapabilities = clientCapabilities
    this.clientInfo = clientInfo
    this.listener = listener
    this.armed = armed.finally(() => {
      this.armed = undefined
    })
  }

  /** Whether `notifications/initialized` has come; nothing is sent unasked before. */
  get initialized(): boolean {
    return this.#initialized
  }

  /** A subscription that is looked into, until `answered`: it does not outlive an unsubscribe that came after it. */
  ask(uri: string): Asking {
    const asking: Asking = { uri: normalUri(uri), takenBack: false }
    this.#asking.add(asking)
    return asking
  }

  answered(asking: Asking): void {
    this.#asking.delete(asking)
  }

  unsubscribe(uri: string): void {
    const normal = normalUri(uri)
    for (const asking of this.#asking) if (asking.uri === normal) asking.takenBack = true
    this.listener.forget(uri)
  }

  start(outbox: Sink | undefined): void {
    this.#initialized = true
    this.listener.attach(outbox)
  }
}
