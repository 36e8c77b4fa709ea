import { ShelfError } from '../errors.ts'
import type { UriFault } from '../errors.ts'
import { scalarAt, scalarTriplets, TRIPLETS } from './percent.ts'
import { CLASS, ENCODED, isUnreserved, PERCENT, REFUSED, schemeEnd, tripletAt } from './uri-characters.ts'

/** The longest URI that is accepted, in UTF-16 code units. */
export const MAX_URI_LENGTH = 8192

/** Rules 2 to 4 of the normal form on text from `start`, in one pass; undefined where rule 4 says no match. */
export function normalText(text: string, start = 0): string | undefined {
  let out = ''
  let from = start
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const kind = code < 128 ? (CLASS[code] as number) : ENCODED
    if (kind < PERCENT) continue
    if (kind === REFUSED) return undefined
    let replacement: string
    let width = 1
    if (kind === PERCENT) {
      const byte = tripletAt(text, i)
      if (byte <= 0) return undefined
      width = 3
      replacement = isUnreserved(byte) ? String.fromCharCode(byte) : (TRIPLETS[byte] as string)
    } else {
      const scalar = scalarAt(text, i)
      if (scalar < 0) return undefined
      if (scalar > 0xffff) width = 2
      replacement = scalarTriplets(scalar)
    }
    if (from < i) out += text.slice(from, i)
    out += replacement
    i += width - 1
    from = i + 1
  }
  return from === start ? text.slice(start) : out + text.slice(from)
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
  return upper ? normal.slice(0, start) + normal.slice(start, end).toLowerCase() + normal.slice(end) : normal
}
