import { ShelfError } from '../errors.ts'
import { refuseLarger } from './byte-limits.ts'
import type { Call } from './call.ts'
import type { ByteSource } from './provider.ts'

/**
 * All bytes of a body, in memory.
 *
 * @throws ShelfError `too-large` for more than `limit`, before anything is read; `internal` for a source that gives other
 *   than the number of bytes it has; `cancelled`
 */
export async function wholeBytes(body: Uint8Array | ByteSource, limit: number, call: Call): Promise<Uint8Array> {
  if ('byteLength' in body) {
    refuseLarger(body.byteLength, limit)
    return body
  }
  const { size } = body
  const miscounted = (given: string): ShelfError => new ShelfError('internal', `A source of ${size} bytes gave ${given}`, {})
  if (!(Number.isSafeInteger(size) && size >= 0)) throw miscounted('no number of them')
  refuseLarger(size, limit)
  const bytes = new Uint8Array(size)
  let filled = 0
  for await (const piece of body.open()) {
    if (call.signal.aborted) throw cancelled()
    if (filled + piece.byteLength > size) throw miscounted('more')
    bytes.set(piece, filled)
    filled += piece.byteLength
  }
  if (filled < size) throw miscounted(String(filled))
  return bytes
}

function cancelled(): ShelfError {
  return new ShelfError('cancelled', 'Cancelled by the caller', {})
}
