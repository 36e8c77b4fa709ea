import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Call, Operation } from '../call.ts'
import { systemClock } from '../clock.ts'
import type { Policy } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import type { ReadResult } from '../provider.ts'
import { letGo } from '../let-go.ts'
import { DueTimes } from './due-times.ts'
import { streams, untilDisposed } from './held-reading.ts'
import { LONGEST_MS, requireLimit } from './limit-option.ts'
import { TimedCall } from './timed-call.ts'

export interface DeadlineOptions {
  /** How long an operation may take, in milliseconds. Default 30 seconds. */
  readonly ms?: number
  /** Which operations it holds for. Default: all. */
  readonly operations?: readonly Operation[]
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

/**
 * Gives every operation a time to end in, which progress does not extend. When it is over the caller gets `timeout`, and
 * the signal of the provider's Call fires, so that it lets go of what it holds; what a provider that does not listen gives
 * later is disposed.
 *
 * It counts until the answer is there. The bytes of a body that streams come after that, as fast as the client takes
 * them, which no provider can hurry: they are bounded where they are sent, byte by byte (docs/limits.md).
 *
 * @throws ShelfError `invalid-option` for a time that a timer cannot hold
 */
export function deadline(options: DeadlineOptions = {}): Policy {
  const ms = requireLimit('ms', options.ms ?? 30_000, 1, LONGEST_MS)
  const operations = options.operations && new Set(options.operations)
  const times = new DueTimes(options.clock ?? systemClock, ms)
  return definePolicy({
    name: 'deadline',
    around: (step, call, next) =>
      operations === undefined || operations.has(step.operation) ? inTime(call, next, times, ms) : next(),
  })
}

function inTime<T>(outer: Call, next: (call: Call) => Promise<T>, times: DueTimes, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const call = new TimedCall(outer)
    let late = false
    const due = times.add(() => {
      late = true
      const timeout = new ShelfError('timeout', `No answer within ${ms} ms`, { afterMs: ms })
      call.expire(timeout)
      reject(timeout)
    })
    begun(next, call).then(
      (result) => {
        if (late) return discard(result)
        due.callOff()
        call.untime()
        resolve(afterwards(result, call))
      },
      (error: unknown) => {
        due.callOff()
        call.untime()
        call.release()
        // oxlint-disable-next-line prefer-promise-reject-errors -- what the provider threw, whatever it is
        reject(error)
      },
    )
  })
}

/** What an operation gives, also if it throws before it has a promise to reject. */
async function begun<T>(next: (call: Call) => Promise<T>, call: Call): Promise<T> {
  return next(call)
}

/** A body that is still to come may be given up by the caller until it is disposed; all else is over. */
function afterwards<T>(result: T, call: TimedCall): T {
  if (!call.follows) return result
  if (isReadResult(result) && streams(result)) return untilDisposed(result, () => call.release()) as T
  call.release()
  return result
}

/** Lets go of what came too late. */
function discard(result: unknown): void {
  if (isReadResult(result) && result.kind === 'contents') letGo(result)
}

function isReadResult(result: unknown): result is ReadResult {
  return typeof result === 'object' && result !== null && 'kind' in result
}
