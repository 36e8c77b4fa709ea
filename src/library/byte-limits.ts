import { ShelfError } from '../errors.ts'
import type { ByteRange, ByteSource, Contents } from './provider.ts'

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    if (code < 0x800) bytes += 1
    else if (code >= 0xd800 && code < 0xdc00 && i + 1 < text.length) {
      bytes += 2
      i++
    } else bytes += 2
  }
  return bytes
}

/** The most bytes a text can have in UTF-8: a UTF-16 unit is at most three. Counting them costs a microsecond for each KiB. */
export function mostBytes(text: string): number {
  return text.length * 3
}

/** How many bytes there are in memory, or will come. */
export function byteLength(bytes: Uint8Array | ByteSource): number {
  return 'byteLength' in bytes ? bytes.byteLength : bytes.size
}

/**
 * @throws ShelfError `too-large` for contents of more raw bytes than the limit, text counted in UTF-8; `internal` for a
 *   number of bytes that is none
 */
export function refuseLargerContents(contents: readonly Contents[], limit: number): void {
  if (bytesIn(contents, mostBytes) <= limit) return
  const size = bytesIn(contents, utf8Length)
  if (size <= limit) return
  throw new ShelfError('too-large', `The resource has ${size} bytes; the limit is ${limit}`, { size, limit })
}

function bytesIn(contents: readonly Contents[], lengthOf: (text: string) => number): number {
  let bytes = 0
  for (const one of contents) {
    const size = 'text' in one ? lengthOf(one.text) : byteLength(one.bytes)
    if (!(Number.isSafeInteger(size) && size >= 0)) {
      throw new ShelfError('internal', `${one.uri} came with ${size} as its number of bytes`, {})
    }
    bytes += size
  }
  return bytes
}

/** @throws ShelfError `too-large`, with advice for providers that give parts; both sizes in bytes */
export function refuseLarger(size: number, limit: number): void {
  if (size <= limit) return
  throw new ShelfError('too-large', `The resource has ${size} bytes and the limit is ${limit}; ask for a range`, { size, limit })
}

/**
 * The part of a body of `total` bytes that was asked for, as far as there is one; all of it without a range.
 *
 * @throws ShelfError `too-large` for a part of more than `maxBytes`
 */
export function partOf(range: ByteRange | undefined, total: number, maxBytes: number): Required<ByteRange> {
  const offset = Math.min(Math.max(range?.offset ?? 0, 0), total)
  const length = Math.min(Math.max(range?.length ?? total, 0), total - offset)
  refuseLarger(length, maxBytes)
  return { offset, length }
}
