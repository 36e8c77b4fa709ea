import type { Implementation, LogLevel, Revision, UncheckedObject } from '../protocol/index.ts'
import type { Sink } from './frame.ts'
import type { Listener } from './listener.ts'

/** What a legacy client said at `initialize`, and what it hears of since. */
export class LegacySession {
  readonly revision: Revision
  readonly clientCapabilities: UncheckedObject
  readonly clientInfo: Implementation | undefined
  readonly listener: Listener
  /** What log messages it wants; until it says otherwise, all but `debug` (2025-11-25, server/utilities/logging). */
  logLevel: LogLevel = 'info'
  #initialized = false

  constructor(
    revision: Revision,
    clientCapabilities: UncheckedObject,
    clientInfo: Implementation | undefined,
    listener: Listener,
  ) {
    this.revision = revision
    this.clientCapabilities = clientCapabilities
    this.clientInfo = clientInfo
    this.listener = listener
  }

  /** Whether `notifications/initialized` has come; nothing is sent unasked before. */
  get initialized(): boolean {
    return this.#initialized
  }

  start(outbox: Sink | undefined): void {
    this.#initialized = true
    this.listener.attach(outbox)
  }
}
