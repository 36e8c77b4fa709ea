import { ShelfError } from '../errors.ts'

/** Raw bytes per chunk: a multiple of 3, so that chunks of base64 join without padding between them. */
const CHUNK = 192 * 1024

/** Bytes in memory, or a stream of known size. */
export type Base64Source = Uint8Array | { readonly size: number; open(): AsyncIterable<Uint8Array> }

/** How long a source of bytes may take for its next ones: others wait for the same channel. */
const STALL_MS = 30_000

/**
 * Bytes as base64 with padding, in chunks of at most 256 KiB of text.
 *
 * @throws Error when a stream gives more or fewer bytes than its size, since the size was promised; ShelfError
 *   `timeout` when it gives none for `stallMs`
 */
export async function* base64Chunks(source: Base64Source, stallMs: number = STALL_MS): AsyncGenerator<Buffer, void> {
  if ('byteLength' in source) {
    for (let start = 0; start < source.byteLength; start += CHUNK) yield encode(source.subarray(start, start + CHUNK))
    return
  }
  let held: Buffer = Buffer.alloc(0)
  let seen = 0
  for await (const bytes of inTime(source.open(), stallMs)) {
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

/** A source that must not keep its reader waiting. One that does is left alone: it may never answer again. */
async function* inTime(source: AsyncIterable<Uint8Array>, stallMs: number): AsyncGenerator<Uint8Array, void> {
  const iterator = source[Symbol.asyncIterator]()
  let waiting = false
  try {
    for (;;) {
      waiting = true
      const next = await nextWithin(iterator, stallMs)
      waiting = false
      if (next.done === true) return
      yield next.value
    }
  } finally {
    const left = iterator.return?.()
    if (waiting) left?.catch(() => undefined)
    else await left
  }
}

function nextWithin(iterator: AsyncIterator<Uint8Array>, ms: number): Promise<IteratorResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ShelfError('timeout', `No bytes for ${ms} ms`, { afterMs: ms }))
    }, ms)
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

function encode(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), 'latin1')
}
