import { ShelfError } from '../errors.ts'
import { isReserved, isUnreserved, tripletAt } from './uri-characters.ts'

/** The triplet of each byte, upper-case hex. */
const TRIPLETS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
)

/** The UTF-8 triplets of one scalar value. */
function scalarTriplets(scalar: number): string {
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

/** Whether the triplets in `start..end` are UTF-8 between all other characters; nothing is allocated. */
export function isDecodable(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (text.charCodeAt(i) !== 0x25) continue
    const byte = tripletAt(text, i)
    i += 2
    if (byte < 0x80) {
      if (byte < 0) return false
      continue
    }
    const more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1
    if (byte < 0xc2 || byte > 0xf4 || i + 3 * more >= end) return false
    for (let n = 0; n < more; n++) {
      const next = text.charCodeAt(i + 1) === 0x25 ? tripletAt(text, i + 1) : -1
      if (next < lowest(byte, n) || next > highest(byte, n)) return false
      i += 3
    }
  }
  return true
}

/** RFC 3629 section 4: the second byte rules out overlong forms, surrogates and what is above U+10FFFF. */
function lowest(first: number, index: number): number {
  if (index > 0) return 0x80
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
}

function highest(first: number, index: number): number {
  if (index > 0) return 0xbf
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
}

/**
 * One segment of a URI as text, decoded exactly once; undefined for a malformed triplet or invalid UTF-8.
 * A decoded `/` is the caller's to judge.
 */
export function decodeSegment(text: string): string | undefined {
  if (!text.includes('%')) return text
  return isDecodable(text, 0, text.length) ? decodeURIComponent(text) : undefined
}
