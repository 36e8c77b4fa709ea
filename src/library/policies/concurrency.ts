import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Call, Principal } from '../call.ts'
import { systemClock } from '../clock.ts'
import type { Policy } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import type { ReadResult } from '../provider.ts'
import { DueTimes } from './due-times.ts'
import { untilDisposed } from './held-reading.ts'
import { LONGEST_MS, requireCount, requireLimit } from './limit-option.ts'
import { meteredBy } from './metered-by.ts'
import { offAbort, onAbort } from '../on-abort.ts'
import type { SlotRequest } from './slots.ts'
import { Slots } from './slots.ts'

export interface ConcurrencyOptions {
  /** Operations under way for one authenticated principal, and for all anonymous ones together. Default 16. */
  readonly perPrincipal?: number
  /** Operations under way in all. Default 64. */
  readonly total?: number
  /** Operations that wait for their turn. Default 256. */
  readonly queue?: number
  /** How long one of them waits, in milliseconds. Default 30 seconds. */
  readonly waitMs?: number
  /**
   * Operations under way in each provider that this policy is put round. A Library that it is used by is one provider, so
   * this is for policies round single mounts: `library.mount(policy(provider))`. Default: as many as in all.
   */
  readonly perProvider?: number
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

/**
 * Bounds how many operations are under way at once. A read is, until its Reading is disposed: bodies that are being sent
 * count. Who comes later waits in turn, principal by principal, so that none starves another. What finds no room to wait,
 * or waits too long, is `busy` with `retryAfterMs`; a waiter whose caller gives up leaves at once.
 *
 * The local principal is bounded by `total` alone. One policy is used in one place of a chain: inside itself, an operation
 * would wait for the slot that it holds.
 *
 * @throws ShelfError `invalid-option` for a limit that is no whole number
 */
export function concurrency(options: ConcurrencyOptions = {}): Policy {
  const total = requireCount('total', options.total ?? 64, 1)
  const clock = options.clock ?? systemClock
  const slots = new Slots({
    total,
    perParty: requireCount('perPrincipal', options.perPrincipal ?? 16, 1),
    perPlace: options.perProvider === undefined ? undefined : requireCount('perProvider', options.perProvider, 1),
    queue: requireCount('queue', options.queue ?? 256, 0),
  })
  const waits = new DueTimes(clock, requireLimit('waitMs', options.waitMs ?? 30_000, 1, LONGEST_MS))
  const held = new MeanTime()
  const busy = (): ShelfError<'busy'> => {
    const retryAfterMs = held.until((slots.waiting + 1) / total)
    return new ShelfError('busy', 'Too many requests are under way; try again later', { retryAfterMs })
  }
  return definePolicy({
    name: 'concurrency',
    around: async (step, call, next) => {
      const request = requestOf(call.principal, step.provider)
      if (!slots.take(request)) await turn(slots, request, call, waits, busy)
      const since = clock.monotonic()
      const give = (): void => {
        held.add(clock.monotonic() - since)
        slots.give(request)
      }
      try {
        const result = await next()
        if (step.operation === 'read') return untilDisposed(result as ReadResult, give) as typeof result
        give()
        return result
      } catch (error) {
        give()
        throw error
      }
    },
  })
}

function requestOf(principal: Principal, place: object): SlotRequest {
  const party = meteredBy(principal)
  return party === undefined ? { party: principal.kind, free: true, place } : { party, free: false, place }
}

/** Settles when there is a slot for this request, which has it then. */
function turn(slots: Slots, request: SlotRequest, call: Call, waits: DueTimes, busy: () => ShelfError): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = call
    if (signal.aborted) return reject(cancelled())
    const end = (settle: () => void): void => {
      due.callOff()
      offAbort(signal, giveUp)
      settle()
    }
    const waiter = {
      ...request,
      grant: () => end(resolve),
      refuse: () => end(() => reject(busy())),
    }
    const giveUp = (): void => {
      slots.leave(waiter)
      end(() => reject(cancelled()))
    }
    if (!slots.wait(waiter)) return reject(busy())
    const due = waits.add(() => {
      slots.leave(waiter)
      waiter.refuse()
    })
    onAbort(signal, giveUp)
  })
}

function cancelled(): ShelfError {
  return new ShelfError('cancelled', 'The caller gave up before its turn came', {})
}

/** How long slots were held of late. */
class MeanTime {
  #ms = 1_000

  add(ms: number): void {
    this.#ms += (ms - this.#ms) / 8
  }

  /** When so many times of this length are over, within what is worth saying: a tenth of a second to half a minute. */
  until(times: number): number {
    return Math.ceil(Math.min(30_000, Math.max(100, this.#ms * times)))
  }
}
