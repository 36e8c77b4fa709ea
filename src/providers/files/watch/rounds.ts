import { systemClock } from '../../../library/index.ts'

/** Between two rounds, in milliseconds: when the system tells of changes, and when it does not. */
const RARE_MS = 5_000
const OFTEN_MS = 1_000
/** At most this share of the time is spent on rounds: a hundredth, or a tenth where nothing else finds changes. */
const RARE_SHARE = 100
const OFTEN_SHARE = 10

/** Looks at everything from time to time, with jitter, and the more seldom the longer it takes. */
export class Rounds {
  readonly #look: () => Promise<void>
  #stop: (() => void) | undefined
  #told = true
  #running = false
  #ended = false
  #took = 0

  constructor(look: () => Promise<void>) {
    this.#look = look
  }

  /** @param told whether the system tells of changes, so that a round only finds what it dropped */
  start(told: boolean): void {
    this.#told = told
    if (!this.#running) this.#plan(this.#pause())
  }

  /** The next round begins after `ms` at the latest. */
  soon(ms: number): void {
    if (!this.#running) this.#plan(ms)
  }

  stop(): void {
    this.#ended = true
    this.#stop?.()
  }

  #pause(): number {
    const pause = this.#told ? Math.max(RARE_MS, RARE_SHARE * this.#took) : Math.max(OFTEN_MS, OFTEN_SHARE * this.#took)
    return pause * (0.8 + 0.4 * Math.random())
  }

  #plan(ms: number): void {
    this.#stop?.()
    if (this.#ended) return
    this.#stop = systemClock.after(ms, () => void this.#round())
  }

  async #round(): Promise<void> {
    this.#running = true
    const begun = performance.now()
    await this.#look()
    this.#took = performance.now() - begun
    this.#running = false
    this.#plan(this.#pause())
  }
}
