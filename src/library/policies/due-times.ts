import type { Clock } from '../../protocol/index.ts'

/** Something that is called off, or falls due. */
export interface Due {
  /** Calls it off; a second time does nothing. */
  callOff(): void
}

/**
 * Waits of one length, of which most are called off before they are over. They fall due in the order they began, so a
 * list of them needs one timer, for the first: one that is set for each would cost more than a request of its own. The
 * timer is left to run when the first is called off, and then set for what has become the first.
 */
export class DueTimes {
  readonly #clock: Clock
  readonly #ms: number
  /** A ring, whose anchor stands before the first and after the last. */
  readonly #anchor = new Entry(Infinity, () => undefined)
  #timed = false

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Calls back once, when the time is over. */
  add(call: () => void): Due {
    const entry = new Entry(this.#clock.monotonic() + this.#ms, call)
    entry.enter(this.#anchor)
    if (!this.#timed) this.#time(this.#ms)
    return entry
  }

  #time(ms: number): void {
    this.#timed = true
    this.#clock.after(ms, () => this.#tick())
  }

  #tick(): void {
    this.#timed = false
    const now = this.#clock.monotonic()
    let first = this.#anchor.next
    for (; first.at <= now; first = this.#anchor.next) {
      first.callOff()
      first.call()
    }
    // What was called may have set the timer.
    // A timer counts whole milliseconds, and may come before the time that the monotonic clock says.
    if (first !== this.#anchor && !this.#timed) this.#time(Math.max(1, Math.ceil(first.at - now)))
  }
}

class Entry implements Due {
  readonly at: number
  readonly call: () => void
  next: Entry = this
  #previous: Entry = this

  constructor(at: number, call: () => void) {
    this.at = at
    this.call = call
  }

  /** Takes the place before another. */
  enter(before: Entry): void {
    this.next = before
    this.#previous = before.#previous
    before.#previous.next = this
    before.#previous = this
  }

  callOff(): void {
    this.#previous.next = this.next
    this.next.#previous = this.#previous
    this.next = this
    this.#previous = this
  }
}
