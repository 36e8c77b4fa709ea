import { ShelfError } from '../errors.ts'
import { isReserved, isUnreserved, tripletAt } from './uri-characters.ts'

/** The triplet of each byte, upper-case hex. */
export const TRIPLETS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
)

/** The UTF-8 triplets of one scalar value. */
export function scalarTriplets(scalar: number): string {
  if (scalar < 0x80) return TRIPLETS[scalar] as string
  const tail = TRIPLETS[0x80 | (scalar & 0x3f)] as string
  if (scalar < 0x800) return (TRIPLETS[0xc0 | (scalar >> 6)] as string) + tail
  const third = (TRIPLETS[0x80 | ((scalar >> 6) & 0x3f)] as string) + tail
  if (scalar < 0x10000) return (TRIPLETS[0xe0 | (scalar >> 12)] as string) + third
  return (TRIPLETS[0xf0 | (scalar >> 18)] as string) + (TRIPLETS[0x80 | ((scalar >> 12) & 0x3f)] as string) + third
}

/** The scalar value at `offset`, or -1 for a lone surrogate. */
export function scalarAt(text: string, offset: number): number {
  const scalar = text.codePointAt(offset) as number
  return scalar >= 0xd800 && scalar <= 0xdfff ? -1 : scalar
}

/** Which characters stay as they are: RFC 6570 section 3.2.1, `U` or `U+R` with existing triplets kept. */
export type Allowed = 'unreserved' | 'reserved'

/** Text with everything that is not allowed as triplets; the offset of a lone surrogate instead, if there is one. */
export function encodeText(text: string, allowed: Allowed): string | number {
  let out = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isUnreserved(code)) continue
    if (allowed === 'reserved' && (isReserved(code) || (code === 0x25 && tripletAt(text, i) >= 0))) continue
    const scalar = scalarAt(text, i)
    if (scalar < 0) return i
    if (from < i) out += text.slice(from, i)
    out += scalarTriplets(scalar)
    if (scalar > 0xffff) i++
    from = i + 1
  }
  return from === 0 ? text : out + text.slice(from)
}

/**
 * Text as one path segment: everything but RFC 3986 unreserved characters becomes upper-case UTF-8 triplets.
 * Throws `invalid-uri` with reason `character` for a lone surrogate.
 */
export function encodeSegment(text: string): string {
  const encoded = encodeText(text, 'unreserved')
  if (typeof encoded === 'string') return encoded
  throw new ShelfError('invalid-uri', `A lone surrogate at ${encoded} has no UTF-8 form: pass well-formed text`, {
    uri: text,
    reason: 'character',
    offset: encoded,
  })
}

/**
 * One segment of a URI as text, decoded exactly once; undefined for a malformed triplet or invalid UTF-8.
 * A decoded `/` is the caller's to judge.
 */
export function decodeSegment(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
