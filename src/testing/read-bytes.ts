import type { ByteRange, ByteSource, Call, Contents, Provider, Reading } from '../library/index.ts'
import { check, checkEqual } from './check.ts'

/** A read of a resource as bytes, of each of its contents. */
export interface ReadBytes {
  readonly reading: Reading
  readonly bodies: readonly Uint8Array[]
}

/** Reads a URI, or a range of it, to the last byte and disposes the Reading. */
export async function readBytes(
  provider: Provider,
  uri: string,
  call: Call,
  maxBytes: number,
  range?: ByteRange,
): Promise<ReadBytes> {
  const result = await provider.read({ uri, maxBytes, ...(range && { range }) }, call)
  check(result.kind === 'contents', `contents for ${uri}`, result.kind)
  try {
    const bodies = []
    for (const contents of result.contents) bodies.push(await bytesOf(contents))
    return { reading: result, bodies }
  } finally {
    await result[Symbol.asyncDispose]?.()
  }
}

/** All bytes of one of the contents; of a stream also by parts, which must be the same. */
async function bytesOf(contents: Contents): Promise<Uint8Array> {
  if ('text' in contents) {
    check(contents.text.isWellFormed(), `text of ${contents.uri} without lone surrogates`)
    return new TextEncoder().encode(contents.text)
  }
  if (contents.bytes instanceof Uint8Array) return contents.bytes
  const bytes = await collect(contents.bytes)
  check(bytes.length === contents.bytes.size, `a stream of the ${contents.bytes.size} bytes it announced`, bytes.length)
  const part = await collect(contents.bytes, { offset: 1, length: 3 })
  checkEqual(part.toString('hex'), bytes.subarray(1, 4).toString('hex'), `part of the stream of ${contents.uri}`)
  return bytes
}

async function collect(source: ByteSource, range?: ByteRange): Promise<Buffer> {
  const pieces = []
  for await (const piece of source.open(range)) pieces.push(piece)
  return Buffer.concat(pieces)
}
