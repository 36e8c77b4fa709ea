/** The value of each base64 character by its code; 255 for all others (RFC 4648 section 4). */
const VALUES = new Uint8Array(256).fill(255)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
for (let value = 0; value < ALPHABET.length; value++) VALUES[ALPHABET.charCodeAt(value)] = value

function valueAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code < 256 ? VALUES[code]! : 255
}

/**
 * The bytes of base64 text with padding, or undefined for anything else: a character that is not of the alphabet, a wrong
 * length, missing padding, bits left over. `atob` takes what is none, and gives text.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  const whole = padding === 0 ? text.length : text.length - 4
  let at = 0
  let all = 0
  for (let i = 0; i < whole; i += 4) {
    const a = valueAt(text, i)
    const b = valueAt(text, i + 1)
    const c = valueAt(text, i + 2)
    const d = valueAt(text, i + 3)
    all |= a | b | c | d
    bytes[at++] = (a << 2) | (b >> 4)
    bytes[at++] = (b << 4) | (c >> 2)
    bytes[at++] = (c << 6) | d
  }
  if (padding > 0) {
    const a = valueAt(text, whole)
    const b = valueAt(text, whole + 1)
    const c = padding === 2 ? 0 : valueAt(text, whole + 2)
    all |= a | b | c
    // What does not fill a byte must be zero, or two texts would be the same bytes.
    if ((padding === 2 ? b & 15 : c & 3) !== 0) return undefined
    bytes[at++] = (a << 2) | (b >> 4)
    if (padding === 1) bytes[at] = (b << 4) | (c >> 2)
  }
  // 255, of what is no character of base64, has bits above those of 63.
  return all > 63 ? undefined : bytes
}
