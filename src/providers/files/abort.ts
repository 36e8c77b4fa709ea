import { ShelfError } from '../../errors.ts'

/** Throws `cancelled`, or `timeout` when that is the signal's reason, if the caller gave up. */
export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return
  const reason = ShelfError.from(signal.reason)
  throw reason.code === 'internal' ? new ShelfError('cancelled', 'Cancelled by the caller', {}, { cause: reason.cause }) : reason
}
