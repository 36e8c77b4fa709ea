import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Call, Operation } from '../call.ts'
import { systemClock } from '../clock.ts'
import type { Policy } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import { requireCount, requireLimit } from './limit-option.ts'
import { meteredBy } from './metered-by.ts'
import type { Flow } from './token-bucket.ts'
import { TokenBucket } from './token-bucket.ts'

export interface RateOptions {
  /** Requests a second that one principal may make in the long run. Default 50. */
  readonly perSecond?: number
  /** Requests it may make at once, after a rest. Default 100. */
  readonly burst?: number
  /** Completions a second, which are counted apart, with a burst in the same proportion. Default 10. */
  readonly completionsPerSecond?: number
  /** Principals that are told apart; beyond it, the one that asked longest ago is forgotten. Default 10,000. */
  readonly principals?: number
  /** Default: the clock of this machine. Only its monotonic time counts. */
  readonly clock?: Clock
}

/**
 * Bounds how many requests a second each authenticated principal makes, and all anonymous ones together; the local one
 * may make any number. One too many is `busy`, and `retryAfterMs` says exactly when it would not have been.
 *
 * A request counts once, however many lists and stats it takes to answer it: one `subscriptions/listen` looks at up to 256
 * URIs. Requests are told apart by their Call.
 *
 * @throws ShelfError `invalid-option` for a limit that is none
 */
export function rate(options: RateOptions = {}): Policy {
  const perSecond = requireLimit('perSecond', options.perSecond ?? 50, 1e-4)
  const burst = requireLimit('burst', options.burst ?? 100, 1)
  const completions = requireLimit('completionsPerSecond', options.completionsPerSecond ?? 10, 1e-4)
  const buckets = new Buckets(
    requireCount('principals', options.principals ?? 10_000, 1),
    { perSecond, burst },
    { perSecond: completions, burst: Math.max(1, (burst * completions) / perSecond) },
  )
  const clock = options.clock ?? systemClock
  const counted = new WeakSet<Call>()
  return definePolicy({
    name: 'rate',
    around: async (step, call, next) => {
      const principal = meteredBy(call.principal)
      if (principal === undefined) return next()
      const repeats = mayRepeat(step.operation)
      if (repeats && counted.has(call)) return next()
      const retryAfterMs = buckets.of(principal, step.operation === 'complete').take(clock.monotonic())
      if (retryAfterMs > 0) throw new ShelfError('busy', `Too many requests; try again in ${retryAfterMs} ms`, { retryAfterMs })
      if (repeats) counted.add(call)
      return next()
    },
  })
}

/** Whether one request may do this more than once: a page that is too large is asked for again, a stream stats its URIs. */
function mayRepeat(operation: Operation): boolean {
  return operation !== 'read' && operation !== 'complete'
}

/** The buckets of the principals that asked last. */
class Buckets {
  readonly #most: number
  readonly #flows: readonly [requests: Flow, completions: Flow]
  /** Whoever asked last is the last. */
  readonly #all = new Map<string, { readonly requests: TokenBucket; completions?: TokenBucket }>()

  constructor(most: number, requests: Flow, completions: Flow) {
    this.#most = most
    this.#flows = [requests, completions]
  }

  of(principal: string, completion: boolean): TokenBucket {
    const [requests, completions] = this.#flows
    let own = this.#all.get(principal)
    if (own === undefined) {
      own = { requests: new TokenBucket(requests) }
      if (this.#all.size >= this.#most) this.#all.delete(this.#all.keys().next().value!)
    } else this.#all.delete(principal)
    this.#all.set(principal, own)
    return completion ? (own.completions ??= new TokenBucket(completions)) : own.requests
  }
}
