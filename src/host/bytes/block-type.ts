import { beginsWith } from './begins-with.ts'
import { imageType } from './image-type.ts'

/** Kinds that models take beside text. */
export const MEDIA = ['image', 'pdf', 'audio'] as const
export type Medium = (typeof MEDIA)[number]

/**
 * The media type under which models take bytes as a block of their own, by how they begin: PNG, JPEG, GIF, WebP; PDF; WAV and
 * MP3. Undefined for all else.
 */
export function blockType(medium: Medium, bytes: Uint8Array): string | undefined {
  switch (medium) {
    case 'image':
      return imageType(bytes)
    case 'pdf':
      return beginsWith(bytes, 0, '%PDF-') ? 'application/pdf' : undefined
    case 'audio':
      if (beginsWith(bytes, 0, 'RIFF') && beginsWith(bytes, 8, 'WAVE')) return 'audio/wav'
      return beginsWith(bytes, 0, 'ID3') || isMpegFrame(bytes) ? 'audio/mpeg' : undefined
  }
}

export const isMedium = (kind: string): kind is Medium => MEDIA.some((medium) => medium === kind)

/** The head of a frame of layer III (ISO/IEC 11172-3, 2.4.1.3): eleven bits that are set, a version, and the layer. */
function isMpegFrame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) === 0x02
}
