/** Finite limits of an Engine. docs/limits.md says what each does. */
export interface Limits {
  /** The most raw bytes a read returns. Default 5 MiB. */
  readonly maxRead: number
  /** Items on the first page of a list; each page doubles. Default 200. */
  readonly firstPage: number
  /** Items on the largest page. Default 4,000. */
  readonly largestPage: number
  /** The most bytes of items on one page. Default 4 MiB. */
  readonly maxPageBytes: number
  /** Values in one completion answer. The protocol allows 100. */
  readonly maxCompletions: number
  /** How long a cursor is good for, in milliseconds. Default 24 hours. */
  readonly cursorTtlMs: number
  /** How long the state of an `input-required` result is good for, in milliseconds. Default 10 minutes. */
  readonly stateTtlMs: number
  /** URIs that one listener may name. Default 256. */
  readonly urisPerListener: number
  /** Listeners in all: streams of `subscriptions/listen` and legacy connections. Default 10,000. */
  readonly maxListeners: number
  /** Messages in one array of a 2025-03-26 client. Default 50. */
  readonly maxBatch: number
  /**
   * Requests of one peer that are begun and not yet answered, the answer being handed on; more wait their turn.
   * What opens or keeps the connection (ping, listen, subscribe, ...) never waits. Default 64.
   */
  readonly requestsPerPeer: number
  /** Requests of one peer that wait their turn. Default 10,000; more are `busy`. */
  readonly waitingPerPeer: number
}

export const DEFAULT_LIMITS: Limits = {
  maxRead: 5 * 1024 * 1024,
  firstPage: 200,
  largestPage: 4_000,
  maxPageBytes: 4 * 1024 * 1024,
  maxCompletions: 100,
  cursorTtlMs: 24 * 60 * 60 * 1000,
  stateTtlMs: 10 * 60 * 1000,
  urisPerListener: 256,
  maxListeners: 10_000,
  maxBatch: 50,
  requestsPerPeer: 64,
  waitingPerPeer: 10_000,
}
