import { beginsWith } from './begins-with.ts'
import { imageType } from './image-type.ts'

/** Kinds that models take beside text. */
export const MEDIA = ['image', 'pdf', 'audio'] as const
export type Medium = (typeof MEDIA)[number]

/**
 * The media type under which models take bytes as a block of their own: PNG, JPEG, GIF, WebP; PDF; WAV and MP3. Undefined
 * for what they do not take, or what its beginning says is something else.
 */
export function blockType(medium: Medium, bytes: Uint8Array, mimeType?: string): string | undefined {
  switch (medium) {
    case 'image':
      return imageType(bytes)
    case 'pdf':
      return beginsWith(bytes, 0, '%PDF-') ? 'application/pdf' : undefined
    case 'audio':
      if (beginsWith(bytes, 8, 'WAVE')) return 'audio/wav'
      return beginsWith(bytes, 0, 'ID3') || mimeType === 'audio/mpeg' ? 'audio/mpeg' : undefined
  }
}

export const isMedium = (kind: string): kind is Medium => MEDIA.some((medium) => medium === kind)
