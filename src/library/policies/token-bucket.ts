/** Differences below this are those of arithmetic, in milliseconds. */
const ROUNDING_MS = 1e-6

/** How fast a bucket fills, and how much it holds. */
export interface Flow {
  readonly perSecond: number
  readonly burst: number
}

/**
 * A bucket of tokens that fills with time. All there is to know of it is one number: when it will be full again.
 */
export class TokenBucket {
  readonly #everyMs: number
  readonly #allMs: number
  #fullAt = -Infinity

  constructor({ perSecond, burst }: Flow) {
    this.#everyMs = 1000 / perSecond
    this.#allMs = this.#everyMs * burst
  }

  /** Takes a token, and returns 0; or takes none, and returns in how many whole milliseconds there will be one. */
  take(now: number): number {
    const fullAt = Math.max(this.#fullAt, now) + this.#everyMs
    const missing = fullAt - now - this.#allMs
    if (missing > ROUNDING_MS) return Math.ceil(missing - ROUNDING_MS)
    this.#fullAt = fullAt
    return 0
  }
}
