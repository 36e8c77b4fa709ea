import { ShelfError } from '../../errors.ts'
import type { Registered } from '../../library/index.ts'
import { BINARY_TYPE, TEXT_TYPE, typeByName } from '../../media/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { decodeSegment } from '../../uri/index.ts'
import type { MemoryItem } from './options.ts'

/** An item as it is kept, in the order of addition. */
export interface HeldItem extends Registered {
  readonly resource: Resource
  readonly version: string
  readonly body: string | Uint8Array
}

/** An item ready to be listed and read. Throws `invalid-option` for text that no wire can carry. */
export function holdItem(item: MemoryItem, version: string): HeldItem {
  const { body, size, type } = bodyOf(item)
  const {
    text: _text,
    bytes: _bytes,
    json: _json,
    ...listed
  } = item as MemoryItem & { text?: unknown; bytes?: unknown; json?: unknown }
  const name = item.name ?? lastSegment(item.uri)
  const mimeType = item.mimeType ?? type ?? typeByName(name) ?? (typeof body === 'string' ? TEXT_TYPE : BINARY_TYPE)
  return { resource: { ...listed, name, mimeType, size }, version, body, seq: 0 }
}

function bodyOf(item: MemoryItem): { body: string | Uint8Array; size: number; type?: string } {
  if ('bytes' in item) return { body: item.bytes, size: item.bytes.length }
  const body = 'text' in item ? item.text : JSON.stringify(item.json)
  if (!body.isWellFormed()) {
    throw new ShelfError(
      'invalid-option',
      `The text of ${item.uri} holds half a surrogate pair, which UTF-8 cannot carry; mend it or give bytes`,
      {
        option: 'text',
      },
    )
  }
  const size = Buffer.byteLength(body)
  return 'text' in item ? { body, size } : { body, size, type: 'application/json' }
}

function lastSegment(uri: string): string {
  const path = uri.replace(/[?#].*$/s, '').replace(/\/+$/, '')
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.indexOf(':')) + 1)
  return decodeSegment(last) || last || uri
}
