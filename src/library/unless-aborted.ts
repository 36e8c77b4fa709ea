import { ShelfError } from '../errors.ts'
import { settleable } from './settleable.ts'

/** The work, or `cancelled` for this caller alone: the work goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  // Nobody else may be there to hear how it ends.
  work.catch(() => undefined)
  if (signal.aborted) throw gaveUp()
  const { promise: aborted, reject } = settleable<never>()
  const stop = (): void => reject(gaveUp())
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export function gaveUp(): ShelfError {
  return new ShelfError('cancelled', 'Cancelled by the caller', {})
}
