import { notFound, ShelfError } from '../errors.ts'

/** An error for a caller who named a URI: whatever a provider called what is not there, it is told about what was sent. */
export function asAbsent(error: unknown, uri: string): unknown {
  return ShelfError.is(error, 'not-found') || ShelfError.is(error, 'invalid-uri') ? notFound(uri) : error
}
