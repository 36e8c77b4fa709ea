import type { Clock } from '../protocol/index.ts'

interface Timer {
  readonly run: () => void
  callOff?: () => void
  done: boolean
}

/** Timers that do not run out while a person is waited for, who logs in: then they begin again. */
export class PatientTimers {
  readonly #clock: Clock
  readonly #expired = new Set<Timer>()
  #waits = 0
  #waitedMs = 0
  #since = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How long somebody has been waited for in all, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs
  }

  /** Calls back once after `ms`; without end for `Infinity`. The returned function calls it off. */
  after(ms: number, call: () => void): () => void {
    const expire = (): void => {
      if (timer.done) return
      if (this.#waits > 0) this.#expired.add(timer)
      else call()
    }
    const timer: Timer = {
      run: () => {
        if (!timer.done && Number.isFinite(ms)) timer.callOff = this.#clock.after(ms, expire)
      },
      done: false,
    }
    timer.run()
    return () => {
      timer.done = true
      timer.callOff?.()
      this.#expired.delete(timer)
    }
  }

  /** Somebody is waited for until this settles. */
  async waitFor(over: Promise<void>): Promise<void> {
    if (this.#waits++ === 0) this.#since = this.#clock.monotonic()
    await over.catch(() => undefined)
    if (--this.#waits > 0) return
    this.#waitedMs += this.#clock.monotonic() - this.#since
    const expired = [...this.#expired]
    this.#expired.clear()
    for (const { run } of expired) run()
  }
}
