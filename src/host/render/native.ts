import { beginsWith, imageType } from '../bytes/index.ts'
import type { RenderItem } from './item.ts'
import { labelOf } from './label.ts'
import type { Source } from './piece.ts'
import { piecesOf } from './piece.ts'
import { elementsOf } from './xml.ts'

/** What a model takes beside text. */
export interface NativeSupport {
  /** Pictures: PNG, JPEG, GIF and WebP. Default true. */
  readonly images?: boolean
  /** PDF documents. Default true. */
  readonly pdf?: boolean
  /** Sound: WAV and MP3. Default false. */
  readonly audio?: boolean
  /** The most bytes of one of them. Default 5 MB, which is what the narrowest takes. */
  readonly maxBytes?: number
}

/** Bytes that a model takes as they are. */
export interface NativeBlock {
  readonly kind: 'image' | 'pdf' | 'audio'
  readonly mimeType: string
  readonly bytes: Uint8Array
  /** Stands before it, so that it can be cited. */
  readonly caption: string
  readonly name: string
}

/** Text for the model, then its native blocks. */
export interface NativeParts {
  readonly text: string
  readonly blocks: readonly NativeBlock[]
  readonly sources: readonly Source[]
}

/** Texts and placeholders as elements (`renderXml`), and as blocks what the model takes natively. */
export function nativeParts(items: readonly RenderItem[], support: NativeSupport): NativeParts {
  const natives = items.map((item) => nativeBlock(item, support))
  const all = piecesOf(items, ({ byteLength }, index) =>
    natives[index] === undefined ? `Not shown: ${byteLength} bytes. It can be read by its URI.` : 'Shown after this text.',
  )
  const blocks = all.pieces.flatMap(({ id, item }, index) => {
    const block = natives[index]
    // Some take no document without a name.
    const name = labelOf(item.name) || labelOf(item.uri)
    return block === undefined ? [] : [{ ...block, caption: `[${id}] ${name} (${labelOf(item.uri)}):`, name }]
  })
  const { output, sources } = elementsOf(all)
  return { text: output, blocks, sources }
}

function nativeBlock(
  { kind, body }: RenderItem,
  { images = true, pdf = true, audio = false, maxBytes = 5_000_000 }: NativeSupport,
): Pick<NativeBlock, 'kind' | 'mimeType' | 'bytes'> | undefined {
  if (!('bytes' in body) || body.bytes.byteLength > maxBytes) return undefined
  const { bytes } = body
  if (kind === 'image' && images) {
    const type = imageType(bytes)
    return type === undefined ? undefined : { kind, mimeType: type, bytes }
  }
  if (kind === 'pdf' && pdf && beginsWith(bytes, 0, '%PDF-')) return { kind, mimeType: 'application/pdf', bytes }
  if (kind === 'audio' && audio) {
    if (beginsWith(bytes, 0, 'RIFF') && beginsWith(bytes, 8, 'WAVE')) return { kind, mimeType: 'audio/wav', bytes }
    if (beginsWith(bytes, 0, 'ID3') || isMpegFrame(bytes)) return { kind, mimeType: 'audio/mpeg', bytes }
  }
  return undefined
}

/** The head of a frame of layer III (ISO/IEC 11172-3, 2.4.1.3): eleven bits that are set, a version, and the layer. */
function isMpegFrame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) === 0x02
}
