import { byteLength, partOf, refuseLargerContents } from './byte-limits.ts'
import type { ByteRange, ByteSource, Contents, Reading, ReadRequest } from './provider.ts'
import { amended } from './resource-face.ts'

/**
 * A whole body, cut to the range that was asked for: bytes, text counted in UTF-8. A Reading stays as it is where no range
 * was asked for, where it is a part already, and where it holds more than one body.
 *
 * @throws ShelfError `too-large` for more than `maxBytes`; the Reading is then disposed
 */
export async function cutToRange(reading: Reading, { range, maxBytes }: ReadRequest): Promise<Reading> {
  try {
    const part = range === undefined ? reading : cut(reading, range, maxBytes)
    refuseLargerContents(part.contents, maxBytes)
    return part
  } catch (error) {
    await reading[Symbol.asyncDispose]?.()
    throw error
  }
}

function cut(reading: Reading, range: ByteRange, maxBytes: number): Reading {
  const [only, another] = reading.contents
  if (reading.range !== undefined || only === undefined || another !== undefined) return reading
  const body = 'text' in only ? new TextEncoder().encode(only.text) : only.bytes
  const total = byteLength(body)
  if (!Number.isSafeInteger(total)) return reading
  const { offset, length } = partOf(range, total, maxBytes)
  const { uri, mimeType, _meta } = only
  const contents: Contents = {
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(_meta && { _meta }),
    // A copy: while the part is sent, a view would keep the whole in memory, which no limit holds for.
    bytes: 'byteLength' in body ? new Uint8Array(body.subarray(offset, offset + length)) : partOfSource(body, offset, length),
  }
  return amended(reading, { contents: [contents], range: { offset, length, total } })
}

function partOfSource(source: ByteSource, start: number, size: number): ByteSource {
  return {
    size,
    open: (range = { offset: 0 }) => {
      const { offset, length } = partOf(range, size, size)
      return source.open({ offset: start + offset, length })
    },
  }
}
