import { ShelfError } from '../errors.ts'
import type { UriFault } from '../errors.ts'
import { scalarAt } from './percent.ts'
import { CLASS, ENCODED, isUnreserved, PERCENT, REFUSED, schemeEnd, tripletAt } from './uri-characters.ts'

/** The longest URI that is accepted, in UTF-16 code units. */
export const MAX_URI_LENGTH = 8192

/** Up to here a call with so many arguments is faster than a decoder. */
const SHORT = 512
const ascii = new TextDecoder()

/** Rules 2 to 4 of the normal form on text from `start`; undefined where rule 4 says no match. */
export function normalText(text: string, start = 0): string | undefined {
  const length = normalLength(text, start)
  if (length === UNCHANGED) return text.slice(start)
  return length < 0 ? undefined : rewrite(text, start, length)
}

const UNCHANGED = -2
const NONE = -1

/** How long the normal form from `start` is. Nothing is allocated for text that has none. */
function normalLength(text: string, start: number): number {
  let changed = false
  let length = text.length - start
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const kind = code < 128 ? (CLASS[code] as number) : ENCODED
    if (kind < PERCENT) continue
    if (kind === REFUSED) return NONE
    changed = true
    if (kind === PERCENT) {
      const byte = tripletAt(text, i)
      if (byte <= 0) return NONE
      if (isUnreserved(byte)) length -= 2
      i += 2
    } else if (code < 0x800) {
      length += code < 0x80 ? 2 : 5
    } else {
      const scalar = scalarAt(text, i)
      if (scalar < 0) return NONE
      length += scalar > 0xffff ? 10 : 8
      if (scalar > 0xffff) i++
    }
  }
  return changed ? length : UNCHANGED
}

/** Writes bytes and not pieces of text: joining 100,000 pieces costs more than their length. */
function rewrite(text: string, start: number, size: number): string {
  const bytes = new Uint8Array(size)
  let length = 0
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const kind = code < 128 ? (CLASS[code] as number) : ENCODED
    if (kind < PERCENT) {
      bytes[length++] = code
    } else if (kind === PERCENT) {
      const byte = tripletAt(text, i)
      if (isUnreserved(byte)) bytes[length++] = byte
      else length = writeTriplet(bytes, length, byte)
      i += 2
    } else {
      const scalar = scalarAt(text, i)
      length = writeScalar(bytes, length, scalar)
      if (scalar > 0xffff) i++
    }
  }
  return size <= SHORT ? String.fromCharCode(...bytes) : ascii.decode(bytes)
}

const HEX = '0123456789ABCDEF'

function writeTriplet(bytes: Uint8Array, at: number, byte: number): number {
  bytes[at] = 0x25
  bytes[at + 1] = HEX.charCodeAt(byte >> 4)
  bytes[at + 2] = HEX.charCodeAt(byte & 15)
  return at + 3
}

function writeScalar(bytes: Uint8Array, at: number, scalar: number): number {
  if (scalar < 0x80) return writeTriplet(bytes, at, scalar)
  let next: number
  if (scalar < 0x800) {
    next = writeTriplet(bytes, at, 0xc0 | (scalar >> 6))
  } else {
    if (scalar < 0x10000) {
      next = writeTriplet(bytes, at, 0xe0 | (scalar >> 12))
    } else {
      next = writeTriplet(bytes, at, 0xf0 | (scalar >> 18))
      next = writeTriplet(bytes, next, 0x80 | ((scalar >> 12) & 0x3f))
    }
    next = writeTriplet(bytes, next, 0x80 | ((scalar >> 6) & 0x3f))
  }
  return writeTriplet(bytes, next, 0x80 | (scalar & 0x3f))
}

/**
 * The normal form of a URI, or undefined where the text is none (docs/templates.md section 2).
 * The length is not judged. Never throws.
 */
export function normalUri(text: string): string | undefined {
  const colon = schemeEnd(text)
  if (colon < 0) return undefined
  const rest = normalText(text, colon + 1)
  if (rest === undefined) return undefined
  return text.slice(0, colon + 1).toLowerCase() + rest
}

/** What texts that should be URIs are compared by: the normal form, or the text itself where it has none. Never throws. */
export function uriKey(text: string): string {
  return normalUri(text) ?? text
}

/** Where and why text has no normal form. */
export function uriFault(text: string): { readonly reason: UriFault; readonly offset: number } | undefined {
  const colon = schemeEnd(text)
  if (colon < 0) return { reason: 'no-scheme', offset: 0 }
  for (let i = colon + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const kind = code < 128 ? (CLASS[code] as number) : ENCODED
    if (kind === REFUSED) return { reason: 'character', offset: i }
    if (kind === PERCENT && tripletAt(text, i) <= 0) return { reason: 'percent', offset: i }
    if (kind !== ENCODED) continue
    const scalar = scalarAt(text, i)
    if (scalar < 0) return { reason: 'character', offset: i }
    if (scalar > 0xffff) i++
  }
  return undefined
}

const WANTED: Record<UriFault, string> = {
  'no-scheme': 'a resource URI begins with a scheme, such as `file:`',
  percent: 'a percent sign is followed by two hexadecimal digits, not 00; write %25 for the sign itself',
  character: 'a URI holds no control character, brace or lone surrogate; write its triplets',
  length: `a URI has at most ${MAX_URI_LENGTH} characters`,
}

export function invalidUri(uri: string, reason: UriFault, offset: number): ShelfError<'invalid-uri'> {
  return new ShelfError('invalid-uri', `Not a URI at offset ${offset}: ${WANTED[reason]}`, { uri, reason, offset })
}

/**
 * The normal form of a URI: the key for cache, subscription and audit (docs/templates.md section 2).
 * Throws `invalid-uri` with reason and offset where the text is none, or is longer than 8,192 UTF-16 code units.
 */
export function canonicalUri(text: string): string {
  // For callers without types.
  if (typeof text !== 'string') throw invalidUri(String(text), 'no-scheme', 0)
  if (text.length > MAX_URI_LENGTH) throw invalidUri(text, 'length', MAX_URI_LENGTH)
  const normal = normalUri(text)
  if (normal !== undefined) return normal
  const fault = uriFault(text) ?? { reason: 'character', offset: 0 }
  throw invalidUri(text, fault.reason, fault.offset)
}

/** True for schemes whose host compares without regard to case, looking behind the last `+` of a mounted one. */
export function foldsHost(scheme: string): boolean {
  switch (scheme.slice(scheme.lastIndexOf('+') + 1)) {
    case 'http':
    case 'https':
    case 'ws':
    case 'wss':
    case 'ftp':
      return true
    default:
      return false
  }
}

/** Letters in lower case, but for the hex of triplets: a folded literal is never found inside one. */
export function foldCase(normal: string): string {
  if (!normal.includes('%')) return normal.toLowerCase()
  const [first = '', ...pieces] = normal.split('%')
  return [first.toLowerCase(), ...pieces.map((piece) => piece.slice(0, 2) + piece.slice(2).toLowerCase())].join('%')
}

/** A URI in normal form with its authority in lower case: same length, so offsets stay. */
export function foldAuthority(normal: string, colon: number): string {
  if (!normal.startsWith('//', colon + 1)) return normal
  const start = colon + 3
  let end = start
  let upper = false
  for (; end < normal.length; end++) {
    const code = normal.charCodeAt(end)
    if (code === 0x2f || code === 0x3f || code === 0x23) break
    if (code >= 0x41 && code <= 0x5a) upper = true
  }
  return upper ? normal.slice(0, start) + foldCase(normal.slice(start, end)) + normal.slice(end) : normal
}

/**
 * The normal form with the host in lower case where it compares without regard to case (`http`, `https`, `ws`, `wss`,
 * `ftp`, also behind a `+`), or undefined where the text is no URI. What access rules compare.
 */
export function foldedUri(text: string): string | undefined {
  const normal = normalUri(text)
  if (normal === undefined) return undefined
  const colon = normal.indexOf(':')
  return foldsHost(normal.slice(0, colon)) ? foldAuthority(normal, colon) : normal
}
