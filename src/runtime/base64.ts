/** Raw bytes per chunk: a multiple of 3, so that chunks of base64 join without padding between them. */
const CHUNK = 192 * 1024

/** Bytes in memory, or a stream of known size. */
export type Base64Source = Uint8Array | { readonly size: number; open(): AsyncIterable<Uint8Array> }

/**
 * Bytes as base64 with padding, in chunks of at most 256 KiB of text.
 *
 * @throws Error when a stream gives more or fewer bytes than its size, since the size was promised
 */
export async function* base64Chunks(source: Base64Source): AsyncGenerator<Buffer, void> {
  if ('byteLength' in source) {
    for (let start = 0; start < source.byteLength; start += CHUNK) yield encode(source.subarray(start, start + CHUNK))
    return
  }
  let held: Buffer = Buffer.alloc(0)
  let seen = 0
  for await (const bytes of source.open()) {
    seen += bytes.byteLength
    if (seen > source.size) throw new Error(`a source of ${source.size} bytes gave more`)
    held = held.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.concat([held, bytes])
    const whole = held.length - (held.length % 3)
    for (let start = 0; start < whole; start += CHUNK) yield encode(held.subarray(start, Math.min(whole, start + CHUNK)))
    held = held.subarray(whole)
  }
  if (seen !== source.size) throw new Error(`a source of ${source.size} bytes gave ${seen}`)
  if (held.length > 0) yield encode(held)
}

function encode(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), 'latin1')
}
