import { beginsWith } from '../bytes/index.ts'
import type { Kind } from './kind.ts'

/** So much is looked at. */
const LOOKED_AT = 512

/** What bytes begin with, from where, by the formats' own definitions. */
const MAGIC: readonly (readonly [kind: Kind, at: number, latin1: string])[] = [
  ['pdf', 0, '%PDF-'],
  ['image', 0, '\x89PNG\r\n\x1a\n'],
  ['image', 0, '\xff\xd8\xff'],
  ['image', 0, 'GIF8'],
  ['image', 8, 'WEBP'],
  ['image', 4, 'ftypavif'],
  ['image', 4, 'ftypheic'],
  ['audio', 8, 'WAVE'],
  ['audio', 0, 'ID3'],
  ['audio', 0, 'fLaC'],
  ['audio', 0, 'OggS'],
  ['video', 4, 'ftyp'],
  ['video', 0, '\x1aE\xdf\xa3'],
  ['archive', 0, 'PK\x03\x04'],
  ['archive', 0, '\x1f\x8b'],
  ['archive', 0, 'BZh'],
  ['archive', 0, '\xfd7zXZ\0'],
  ['archive', 0, '7z\xbc\xaf\x27\x1c'],
  ['archive', 0, '\x28\xb5\x2f\xfd'],
  ['archive', 257, 'ustar'],
]

/** The kind that contents show by how they begin; undefined where they may be anything. */
export function kindOfBeginning(beginning: Uint8Array | string): Kind | undefined {
  if (typeof beginning === 'string') return kindOfText(beginning.slice(0, LOOKED_AT))
  const bytes = beginning.subarray(0, LOOKED_AT)
  for (const [kind, at, latin1] of MAGIC) if (beginsWith(bytes, at, latin1)) return kind
  // Words begin like that, too: in a picture zeros that are reserved stand behind the two letters and the size.
  if (beginsWith(bytes, 0, 'BM') && beginsWith(bytes, 6, '\0\0\0\0')) return 'image'
  if (bytes.length === 0 || bytes.includes(0)) return undefined
  try {
    // The last character may be cut off.
    return kindOfText(new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }))
  } catch {
    return undefined
  }
}

function kindOfText(text: string): Kind | undefined {
  const start = text.replace(/^\ufeff/, '').trimStart()
  if (start === '') return undefined
  if (start.startsWith('#!')) return 'code'
  if (/^<(?:\?xml|!doctype|html|svg)\b/i.test(start)) return 'xml'
  if (/^(?:\{\s*"|\[\s*[[{"\d])/.test(start)) return 'json'
  if (/^---\r?\n[\w-]+:/.test(start)) return /\n---\r?\n/.test(start) ? 'markdown' : 'configuration'
  if (/^#{1,6} \S/.test(start)) return 'markdown'
  // A date and a time at the beginning of a line, as logs have it.
  if (/^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(start)) return 'log'
  return 'text'
}
