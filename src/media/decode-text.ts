import { isUtf8 } from 'node:buffer'

/** Text and how it was written. */
export interface DecodedText {
  /** Well-formed; a byte order mark stays as U+FEFF, so that the text holds all that the bytes held. */
  readonly text: string
  readonly charset: 'utf-8' | 'utf-16le' | 'utf-16be'
}

/**
 * Bytes as text, if they are text without doubt: UTF-8 throughout, or UTF-16 behind a byte order mark,
 * and no NUL. Anything else, Latin-1 too, is undefined: it is sent as bytes rather than guessed at.
 * Never depends on the locale. No bytes are the empty text.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(bytes, 'utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16(bytes, 'utf-16be')
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { text: view.toString('utf8'), charset: 'utf-8' }
}

function utf16(bytes: Uint8Array, charset: 'utf-16le' | 'utf-16be'): DecodedText | undefined {
  if (bytes.length % 2 !== 0) return undefined
  let view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (charset === 'utf-16be') view = Buffer.from(view).swap16()
  const text = view.toString('utf16le')
  return text.isWellFormed() && !text.includes('\0') ? { text, charset } : undefined
}
