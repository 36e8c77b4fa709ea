import type { Clock } from '../protocol/index.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** A connection that lived so long was a good one, in milliseconds. */
const GOOD_MS = 10_000
/** No more connections than this are made in a minute, so that a server that ends at once is not started for ever. */
const MOST_A_MINUTE = 5
const MINUTE_MS = 60_000

/**
 * When a server may be connected to again. The first time after a good connection, at once; after failures in a row,
 * 0.5 s, 1 s, ... 30 s, each shortened by up to a half at random so that many clients do not come back together; and
 * at most five times a minute.
 */
export class Restarts {
  readonly #clock: Clock
  readonly #random: () => number
  /** When connections were begun, in the minute that runs. */
  #begun: number[] = []
  #failures = 0
  #notBefore = -Infinity
  #openedAt = -Infinity

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Milliseconds until the next attempt may be made; 0 for now. */
  get waitMs(): number {
    const now = this.#clock.monotonic()
    this.#begun = this.#begun.filter((at) => now - at < MINUTE_MS)
    const crowded = this.#begun.length >= MOST_A_MINUTE ? this.#begun[0]! + MINUTE_MS : -Infinity
    return Math.max(0, this.#notBefore - now, crowded - now)
  }

  begun(): void {
    this.#begun.push(this.#clock.monotonic())
  }

  opened(): void {
    this.#openedAt = this.#clock.monotonic()
  }

  /** The attempt failed. */
  failed(): void {
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures)
    this.#failures++
    this.#notBefore = this.#clock.monotonic() + delay * (1 - this.#random() / 2)
  }

  /** The connection was lost. */
  lost(): void {
    if (this.#clock.monotonic() - this.#openedAt < GOOD_MS) return this.failed()
    this.#failures = 0
    this.#notBefore = -Infinity
  }
}
