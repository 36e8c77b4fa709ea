import { ShelfError } from '../errors.ts'
import type { ByteRange } from '../library/index.ts'
import type { ReadContents } from './contents.ts'
import type { ClientReading } from './client-reading.ts'

/**
 * The part of a whole that a server without ranges gave; text is counted in UTF-8, and a part is bytes whatever the type.
 *
 * @throws ShelfError `unsupported` for several contents, of which there is no telling where one begins
 */
export function cutContents(reading: ClientReading, { offset, length }: ByteRange): ClientReading {
  const [only, another] = reading.contents
  if (only === undefined) return reading
  if (another !== undefined)
    throw new ShelfError('unsupported', 'Of several contents no part can be read; read the whole', { operation: 'range' })
  const whole = only.bytes ?? new TextEncoder().encode(only.text)
  const start = Math.min(offset, whole.length)
  const bytes = whole.slice(start, length === undefined ? undefined : start + length)
  const { uri, mimeType, _meta } = only
  const part: ReadContents = { uri, ...(mimeType !== undefined && { mimeType }), ...(_meta && { _meta }), bytes }
  return { ...reading, contents: [part], range: { offset: start, length: bytes.length, total: whole.length } }
}
