import type { Call, Contents, Provider, Reading } from '../library/index.ts'
import { check } from './check.ts'

/** A read of a resource as bytes, of each of its contents. */
export interface ReadBytes {
  readonly reading: Reading
  readonly bodies: readonly Uint8Array[]
}

/** Reads a URI to the last byte and disposes the Reading. */
export async function readBytes(provider: Provider, uri: string, call: Call, maxBytes: number): Promise<ReadBytes> {
  const result = await provider.read({ uri, maxBytes }, call)
  check(result.kind === 'contents', `contents for ${uri}`, result.kind)
  try {
    const bodies = []
    for (const contents of result.contents) bodies.push(await bytesOf(contents))
    return { reading: result, bodies }
  } finally {
    await result[Symbol.asyncDispose]?.()
  }
}

async function bytesOf(contents: Contents): Promise<Uint8Array> {
  if ('text' in contents) {
    check(contents.text.isWellFormed(), `text of ${contents.uri} without lone surrogates`)
    return new TextEncoder().encode(contents.text)
  }
  if (contents.bytes instanceof Uint8Array) return contents.bytes
  const pieces = []
  for await (const piece of contents.bytes.open()) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  check(bytes.length === contents.bytes.size, `a stream of the ${contents.bytes.size} bytes it announced`, bytes.length)
  return bytes
}
