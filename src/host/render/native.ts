import { blockType, isMedium } from '../bytes/index.ts'
import type { Medium } from '../bytes/index.ts'
import type { RenderItem } from './item.ts'
import { labelOf, uriLabelOf } from './label.ts'
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
  readonly kind: Medium
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
    const name = labelOf(item.name) || uriLabelOf(item.uri)
    return block === undefined ? [] : [{ ...block, caption: `[${id}] ${name} (${uriLabelOf(item.uri)}):`, name }]
  })
  const { output, sources } = elementsOf(all)
  return { text: output, blocks, sources }
}

function nativeBlock(
  { kind, body }: RenderItem,
  { images = true, pdf = true, audio = false, maxBytes = 5_000_000 }: NativeSupport,
): Pick<NativeBlock, 'kind' | 'mimeType' | 'bytes'> | undefined {
  const taken: Readonly<Record<Medium, boolean>> = { image: images, pdf, audio }
  if (!('bytes' in body) || body.bytes.byteLength > maxBytes || !isMedium(kind) || !taken[kind]) return undefined
  const type = blockType(kind, body.bytes)
  return type === undefined ? undefined : { kind, mimeType: type, bytes: body.bytes }
}
