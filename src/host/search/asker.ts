import { ShelfError } from '../../errors.ts'
import type { Call } from '../../library/index.ts'
import { unlessAborted, withSignal } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'

/** Asks a provider on behalf of one caller: for so long, and no longer than the caller wants anything. */
export class Asker {
  readonly #call: Call
  readonly #signal: AbortSignal
  readonly #clock: Clock
  readonly #ms: number

  constructor(call: Call, signal: AbortSignal, clock: Clock, ms: number) {
    this.#call = call
    this.#signal = signal
    this.#clock = clock
    this.#ms = ms
  }

  /**
   * @param unwanted gets an answer that came too late
   * @throws ShelfError `timeout`; `cancelled` where the caller gave up; `unavailable` where the provider did by itself; what
   *   else the work throws
   */
  async ask<T>(begin: (call: Call) => Promise<T>, unwanted?: (late: T) => void): Promise<T> {
    const controller = new AbortController()
    const stop = (): void => controller.abort()
    let isLate = false
    const callOff = this.#clock.after(this.#ms, () => {
      isLate = true
      stop()
    })
    if (this.#signal.aborted) stop()
    this.#signal.addEventListener('abort', stop, { once: true })
    // What is thrown at once is as good as what is thrown later.
    const work = (async () => begin(withSignal(this.#call, controller.signal)))()
    let isAnswered = false
    try {
      const answer = await unlessAborted(work, controller.signal)
      isAnswered = true
      return answer
    } catch (error) {
      if (isLate) throw new ShelfError('timeout', `No answer within ${this.#ms} ms`, { afterMs: this.#ms })
      if (!this.#signal.aborted && ShelfError.from(error).code === 'cancelled') {
        throw new ShelfError('unavailable', 'Given up by the provider, and not by the caller', {}, { cause: error })
      }
      throw error
    } finally {
      callOff()
      this.#signal.removeEventListener('abort', stop)
      if (!isAnswered) work.then(unwanted, () => undefined)
    }
  }
}
