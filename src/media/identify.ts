import { decodeText } from './decode-text.ts'
import { contradicts, typeBySignature } from './signatures.ts'
import { BINARY_TYPE, isTextType, TEXT_TYPE } from './text-type.ts'

/** What bytes are, and what they say if they are text. */
export interface Identified {
  readonly mimeType: string
  readonly text?: string
}

/**
 * What bytes are, by what is said of them and by themselves. Where both contradict each other (a page called `.png`, Latin-1
 * called `.txt`) they are `application/octet-stream`; nothing is guessed that a program would run. Without bytes it is the
 * empty text: many readers take an empty blob for a missing one.
 *
 * @param type that a source declares, or a name suggests
 */
export function identify(bytes: Uint8Array, type: string | undefined): Identified {
  if (bytes.length === 0) return { mimeType: type ?? TEXT_TYPE, text: '' }
  if (type !== undefined && !isTextType(type)) return { mimeType: identifyBinary(bytes, type) }
  const decoded = decodeText(bytes)
  if (decoded === undefined) return { mimeType: type === undefined ? identifyBinary(bytes, type) : BINARY_TYPE }
  const { text, charset } = decoded
  const mimeType = type ?? TEXT_TYPE
  return { mimeType: charset === 'utf-8' ? mimeType : `${mimeType}; charset=${charset}`, text }
}

/** The same of bytes that are not text by their type, of which the first `SIGNATURE_BYTES` are enough. */
export function identifyBinary(beginning: Uint8Array, type: string | undefined): string {
  if (type === undefined) return typeBySignature(beginning) ?? BINARY_TYPE
  return contradicts(type, beginning) ? BINARY_TYPE : type
}
