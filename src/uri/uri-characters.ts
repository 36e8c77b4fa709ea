/** What one character of a URI means while it is scanned (docs/templates.md section 2). */
export const PLAIN = 0
export const SLASH = 1
export const QUESTION = 2
export const HASH = 3
export const PERCENT = 4
/** A URI may not hold it raw: it is read as the triplets of its UTF-8 bytes. */
export const ENCODED = 5
/** Controls, DEL and braces: no URI at all. */
export const REFUSED = 6

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
const RESERVED = ":/?#[]@!$&'()*+,;="

function classes(): Uint8Array {
  const table = new Uint8Array(128).fill(REFUSED)
  for (const character of UNRESERVED + RESERVED) table[character.charCodeAt(0)] = PLAIN
  for (const character of ' "<>\\^|`') table[character.charCodeAt(0)] = ENCODED
  table[0x2f] = SLASH
  table[0x3f] = QUESTION
  table[0x23] = HASH
  table[0x25] = PERCENT
  return table
}

function marked(characters: string): Uint8Array {
  const table = new Uint8Array(128)
  for (const character of characters) table[character.charCodeAt(0)] = 1
  return table
}

/** The class of each ASCII code; everything above is ENCODED. */
export const CLASS: Uint8Array = classes()
const UNRESERVED_CODES = marked(UNRESERVED)
const RESERVED_CODES = marked(RESERVED)
const SCHEME_CODES = marked('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.')

export function isUnreserved(code: number): boolean {
  return code < 128 && UNRESERVED_CODES[code] === 1
}

export function isReserved(code: number): boolean {
  return code < 128 && RESERVED_CODES[code] === 1
}

export function isSchemeCharacter(code: number): boolean {
  return code < 128 && SCHEME_CODES[code] === 1
}

export function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

/** The value of a hexadecimal digit, or -1 (also for NaN, what charCodeAt gives past the end). */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The byte of the triplet at `offset`, or -1 where none stands. */
export function tripletAt(text: string, offset: number): number {
  const high = hexValue(text.charCodeAt(offset + 1))
  const low = hexValue(text.charCodeAt(offset + 2))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** The index of the colon that ends the scheme, or -1 where the text begins with no scheme. */
export function schemeEnd(text: string): number {
  if (!isLetter(text.charCodeAt(0))) return -1
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x3a) return i
    if (!isSchemeCharacter(code)) return -1
  }
  return -1
}
