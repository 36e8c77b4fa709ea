import type { ByteSource, Call, Contents, Reading } from '../../library/index.ts'
import { byteLength, wholeBytes } from '../../library/index.ts'

/** Part of a body, and where in the whole it is, in bytes. */
export interface Window {
  readonly bytes: Uint8Array
  readonly start: number
  readonly total: number
}

/** Of one body the part that was asked for; a provider may have cut it already. */
export async function windowOf(reading: Reading, only: Contents, offset: number, length: number, call: Call): Promise<Window> {
  const body = 'text' in only ? new TextEncoder().encode(only.text) : only.bytes
  const { range } = reading
  const size = byteLength(body)
  const skipped = range === undefined ? Math.min(offset, size) : 0
  const taken = Math.min(length, size - skipped)
  const bytes = await wholeBytes(partOf(body, skipped, taken), length, call)
  return { bytes, start: range?.offset ?? skipped, total: range?.total ?? size }
}

function partOf(body: Uint8Array | ByteSource, offset: number, length: number): Uint8Array | ByteSource {
  if ('byteLength' in body) return body.subarray(offset, offset + length)
  return { size: length, open: () => body.open({ offset, length }) }
}

/**
 * The window without the pieces of characters at its ends: whoever reads on from its end misses nothing. The beginning and
 * the end of the whole are left as they are.
 */
export function wholeCharacters({ bytes, start, total }: Window): Window {
  let from = 0
  if (start > 0) while (from < 3 && isInside(bytes[from])) from++
  let to = bytes.length
  if (start + to < total) {
    let lead = to - 1
    while (lead > from && to - lead < 4 && isInside(bytes[lead])) lead--
    if (lead >= from && to - lead < lengthOf(bytes[lead])) to = lead
  }
  return { bytes: bytes.subarray(from, to), start: start + from, total }
}

/** Second and further bytes of a character in UTF-8. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Bytes of the character that begins so. */
function lengthOf(byte = 0): number {
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
}
