import { utf8Length } from '../byte-limits.ts'
import type { SecretKind, SecretSpan } from './secret-span.ts'
import { joined, redactionOf, secretsIn } from './secret-span.ts'

/** Bytes read as text of one encoding. */
interface TextView {
  readonly text: string
  /** Of a place in the text that of its byte; asked for places in order. */
  readonly byteAt: (unit: number) => number
  readonly encode: (text: string) => Uint8Array
}

/** A secret among bytes; `start` and `end` are those of bytes. */
interface ByteSpan extends SecretSpan {
  readonly encode: (text: string) => Uint8Array
}

/**
 * The secrets in bytes of unknown encoding, whether they are text or have texts in them: looked for in UTF-8 if they are
 * that, else in an encoding of one byte each, which finds what is ASCII in all that build on it; and in UTF-16 where there is
 * a NUL or a byte order mark, without which there is none of ASCII.
 */
export function secretsInBytes(bytes: Uint8Array, kinds: readonly SecretKind[]): readonly ByteSpan[] {
  const spans = viewsOf(bytes).flatMap(({ text, byteAt, encode }) =>
    secretsIn(text, kinds).map(({ start, end, name }): ByteSpan => ({ start: byteAt(start), end: byteAt(end), name, encode })),
  )
  return joined(spans)
}

/** A copy of bytes with its secrets replaced; all else is as it was, whatever it is. */
export function withoutByteSpans(bytes: Uint8Array, spans: readonly ByteSpan[]): Uint8Array {
  const pieces: Uint8Array[] = []
  let rest = 0
  for (const { start, end, name, encode } of spans) {
    pieces.push(bytes.subarray(rest, start), encode(redactionOf(name)))
    rest = end
  }
  pieces.push(bytes.subarray(rest))
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function viewsOf(bytes: Uint8Array): readonly TextView[] {
  const first = utf8View(bytes) ?? singleByteView(bytes)
  const [one = 0, two = 0] = bytes
  const marked = one + two === 0xff + 0xfe
  return marked || bytes.includes(0) ? [first, utf16View(bytes, 'utf-16le'), utf16View(bytes, 'utf-16be')] : [first]
}

const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

function utf8View(bytes: Uint8Array): TextView | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  if (text.length === bytes.length) return { text, byteAt: (unit) => unit, encode: encodeUtf8 }
  let unitsBefore = 0
  let bytesBefore = 0
  const byteAt = (unit: number): number => {
    bytesBefore += utf8Length(text.slice(unitsBefore, unit))
    unitsBefore = unit
    return bytesBefore
  }
  return { text, byteAt, encode: encodeUtf8 }
}

/** Windows-1252 has a character for each byte, and those of ASCII where they are. */
function singleByteView(bytes: Uint8Array): TextView {
  return { text: new TextDecoder('windows-1252').decode(bytes), byteAt: (unit) => unit, encode: encodeUtf8 }
}

/** A unit that is half of nothing becomes another one, so each has its place. */
function utf16View(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): TextView {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(0, bytes.length & ~1))
  const low = encoding === 'utf-16le' ? 0 : 1
  const encode = (ascii: string): Uint8Array => {
    const units = new Uint8Array(2 * ascii.length)
    for (let i = 0; i < ascii.length; i++) units[2 * i + low] = ascii.charCodeAt(i)
    return units
  }
  return { text, byteAt: (unit) => 2 * unit, encode }
}
