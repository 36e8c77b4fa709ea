import type { Clock } from '../../protocol/index.ts'
import { AtOnce } from './at-once.ts'
import type { Topic } from './topics.ts'

export interface PollerOptions {
  readonly clock: Clock
  readonly random: () => number
  /** Milliseconds between two looks, varied by up to a fifth; doubled after each that failed, up to eight times. */
  readonly everyMs: number
  /** What it is like now; rejects when that cannot be told. */
  look(topic: Topic, signal: AbortSignal): Promise<string>
  /** It could be looked at. */
  seen(topic: Topic): void
  changed(topic: Topic): void
  failed(topic: Topic): void
}

/** So many are looked at at a time: servers have limits, ours takes 64 requests of one client. */
const AT_ONCE = 16

const MOST_DOUBLINGS = 3

/** What looking found the last time. A rejected look leaves it, so that a change in between is seen at the next. */
interface Looked {
  last: string | undefined
  /** Looks in a row that failed. */
  failures: number
  callOff: () => void
  readonly end: AbortController
}

/** Finds changes by looking, for what a server does not tell of. */
export class Poller {
  readonly #options: PollerOptions
  readonly #topics = new Map<Topic, Looked>()
  readonly #turns = new AtOnce(AT_ONCE)

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** Settles once there is something to compare with. Rejects, and lets go of it, when the first look fails. */
  async add(topic: Topic): Promise<void> {
    this.remove(topic)
    const looked: Looked = { last: undefined, failures: 0, callOff: () => undefined, end: new AbortController() }
    this.#topics.set(topic, looked)
    try {
      looked.last = await this.#look(topic, looked)
    } catch (error) {
      if (this.#topics.get(topic) === looked) this.remove(topic)
      throw error
    }
    this.#later(topic, looked)
  }

  #look(topic: Topic, { end }: Looked): Promise<string> {
    return this.#turns.run(() => this.#options.look(topic, end.signal))
  }

  #later(topic: Topic, looked: Looked): void {
    if (looked.end.signal.aborted) return
    const { clock, random, everyMs } = this.#options
    const delay = everyMs * 2 ** Math.min(MOST_DOUBLINGS, looked.failures) * (0.8 + 0.4 * random())
    looked.callOff = clock.after(delay, () => void this.#lookAgain(topic, looked))
  }

  async #lookAgain(topic: Topic, looked: Looked): Promise<void> {
    try {
      const now = await this.#look(topic, looked)
      if (looked.end.signal.aborted) return
      const { last } = looked
      looked.last = now
      looked.failures = 0
      this.#options.seen(topic)
      if (now !== last) this.#options.changed(topic)
    } catch {
      looked.failures++
      if (!looked.end.signal.aborted) this.#options.failed(topic)
    }
    this.#later(topic, looked)
  }

  remove(topic: Topic): void {
    const looked = this.#topics.get(topic)
    this.#topics.delete(topic)
    looked?.callOff()
    looked?.end.abort()
  }

  close(): void {
    for (const topic of this.#topics.keys()) this.remove(topic)
  }
}
