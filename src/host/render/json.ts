import type { RenderItem } from './item.ts'
import { labelOf } from './label.ts'
import type { Rendered } from './markdown.ts'
import { piecesOf } from './piece.ts'

/** A resource as plain data. */
export interface JsonItem {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly kind: string
  readonly mimeType?: string
  readonly server?: string
  readonly notes?: readonly string[]
  /** All of it, or its passages. */
  readonly text?: string
  readonly passages?: readonly { readonly id: string; readonly title?: string; readonly text: string }[]
  /** Of what is no text, in bytes. */
  readonly size?: number
}

/** Resources as plain data, for whoever writes the prompt. */
export function renderJson(items: readonly RenderItem[]): Rendered<{ readonly resources: readonly JsonItem[] }> {
  const { pieces, sources } = piecesOf(items)
  const resources = pieces.map(({ id, item, notes, passages }): JsonItem => {
    const { uri, name, kind, mimeType, server, body } = item
    const whole = passages.length === 1 && passages[0]!.id === id ? passages[0]!.text : undefined
    const size = 'bytes' in body ? body.bytes.byteLength : 'missing' in body ? body.size : undefined
    return {
      id,
      uri,
      name: labelOf(name),
      kind,
      ...(mimeType !== undefined && { mimeType: labelOf(mimeType) }),
      ...(server !== undefined && { server: labelOf(server) }),
      ...(notes.length > 0 && { notes }),
      ...(whole !== undefined && { text: whole }),
      ...(whole === undefined && passages.length > 0 && { passages }),
      ...(size !== undefined && { size }),
    }
  })
  return { output: { resources }, sources }
}
