import type { Clock } from '../protocol/index.ts'
import type { Change } from './provider.ts'

/** Changes waiting for more of their kind, each told when nothing like it came for a while. */
interface Pending {
  change: Change
  /** When the first and the latest of its kind came. */
  readonly first: number
  last: number
}

/** With more single changes than this waiting they become one `lost`, so that a storm costs no memory. */
const MOST = 10_000
const ALL = 'lost'
/** Falls due together: a timer for each of many changes would cost more than telling them. */
const GRAIN_MS = 5

/**
 * Gathers changes: many of one URI, or of the set, become one, told when none has come for `windowMs` (so the last one
 * is never lost), or when the first has waited `maxWaitMs`.
 */
export class PendingChanges {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #maxWaitMs: number
  readonly #tell: (key: string, change: Change) => void
  readonly #pending = new Map<string, Pending>()
  #stop: (() => void) | undefined

  /** @param tell called with each change when it is due, under the key it was added with */
  constructor(
    clock: Clock,
    times: { readonly windowMs: number; readonly maxWaitMs: number },
    tell: (key: string, change: Change) => void,
  ) {
    this.#clock = clock
    this.#windowMs = times.windowMs
    this.#maxWaitMs = times.maxWaitMs
    this.#tell = tell
  }

  get size(): number {
    return this.#pending.size
  }

  /** Takes a change; one that waits under the same key is replaced by what `merge` makes of the two. */
  add(key: string, change: Change, merge: (older: Change, newer: Change) => Change = (_older, newer) => newer): void {
    const now = this.#clock.monotonic()
    const known = this.#pending.get(key)
    if (known === undefined) this.#pending.set(key, { change, first: now, last: now })
    else {
      known.change = merge(known.change, change)
      known.last = now
    }
    if (this.#pending.size > MOST) this.#collapse(now)
    this.#stop ??= this.#clock.after(this.#windowMs, () => this.#fire())
  }

  /** Tells at once what waits under a key. */
  flush(key: string): void {
    const known = this.#pending.get(key)
    if (known === undefined) return
    this.#pending.delete(key)
    this.#tell(key, known.change)
  }

  /** Tells at once whatever waits. */
  flushAll(): void {
    for (const key of this.#pending.keys()) this.flush(key)
  }

  /** Forgets everything. */
  clear(): void {
    this.#pending.clear()
    this.#stop?.()
    this.#stop = undefined
  }

  #fire(): void {
    this.#stop = undefined
    const now = this.#clock.monotonic()
    let next = Infinity
    for (const [key, { change, first, last }] of this.#pending) {
      const due = Math.min(last + this.#windowMs, first + this.#maxWaitMs)
      if (due > now + GRAIN_MS) {
        next = Math.min(next, due)
        continue
      }
      this.#pending.delete(key)
      this.#tell(key, change)
    }
    if (this.#pending.size > 0 && this.#stop === undefined) {
      const wait = next === Infinity ? this.#windowMs : Math.max(GRAIN_MS, next - this.#clock.monotonic())
      this.#stop = this.#clock.after(wait, () => this.#fire())
    }
  }

  #collapse(now: number): void {
    // A storm that goes on does not put off what is told of it.
    const first = this.#pending.get(ALL)?.first ?? now
    this.#pending.clear()
    this.#pending.set(ALL, { change: { kind: 'lost' }, first, last: now })
  }
}
