import type { Clock } from '../protocol/index.ts'

/** How many messages came unasked in the second that runs. */
export class UnaskedRate {
  readonly #clock: Clock
  readonly #limit: number
  #since = -Infinity
  #count = 0

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Counts one, and says whether that is still within the limit. */
  admits(): boolean {
    // The clock is asked once in a hundred: what is counted may be a flood.
    if (this.#count % 100 === 0) {
      const now = this.#clock.monotonic()
      if (now - this.#since >= 1_000) {
        this.#since = now
        this.#count = 0
      }
    }
    return ++this.#count <= this.#limit
  }
}
