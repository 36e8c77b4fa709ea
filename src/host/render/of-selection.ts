import { META_SERVER } from '../../protocol/index.ts'
import type { Choice } from '../select/index.ts'
import type { RenderItem } from './item.ts'

/** What was chosen, as items to render. */
export function itemsOfSelection({ chosen }: { readonly chosen: readonly Choice[] }): readonly RenderItem[] {
  return chosen.map(({ resource, kind, fitted, bytes }) => {
    const { uri, name, title, mimeType, _meta } = resource
    const server = _meta?.[META_SERVER]
    return {
      uri,
      name: title ?? name,
      ...(mimeType !== undefined && { mimeType }),
      ...(typeof server === 'string' && { server }),
      kind,
      body: bytes === undefined ? { fitted } : { bytes },
    }
  })
}
