/**
 * Text, or undefined for what is none: anything with a NUL in it, and anything that is no UTF-8.
 *
 * @param mark what becomes of a byte order mark
 */
export function decodeUtf8(bytes: Uint8Array, mark: 'kept' | 'dropped' = 'dropped'): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: mark === 'kept' }).decode(bytes)
  } catch {
    return undefined
  }
}
