import { gaveUp } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'

/** Work at one time before others have theirs, in milliseconds. */
const SLICE_MS = 8

/** Long work in slices: others that wait for the event loop have their turn between them. */
export class Turns {
  readonly #clock: Clock
  readonly #over: () => void
  readonly #signal: AbortSignal
  #begun: number

  /** @param over called at the end of each slice */
  constructor(clock: Clock, over: () => void, signal: AbortSignal) {
    this.#signal = signal
    this.#clock = clock
    this.#over = over
    this.#begun = clock.monotonic()
  }

  /** Whether it is time to wait for the next one. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#begun >= SLICE_MS
  }

  /**
   * Unlike a timer of the clock this one keeps a process alive: there is work left.
   *
   * @throws ShelfError `cancelled` where it is not wanted any more
   */
  async next(): Promise<void> {
    this.#over()
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
    if (this.#signal.aborted) throw gaveUp()
    this.#begun = this.#clock.monotonic()
  }
}
