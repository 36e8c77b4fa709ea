import type { Client, ClientReading, ReadContents, ReadOptions } from '../client/index.ts'
import { ShelfError } from '../errors.ts'

type Options = ReadOptions & { readonly ifVersion?: undefined }

/** The most bytes that one part has: what is larger than a server gives at once is asked for in such. */
const PART = 4 * 1024 * 1024

/**
 * Reads a resource, and one that is larger than its server gives at once part by part, where the server has ranges.
 *
 * @throws Error when it changes meanwhile; ShelfError what the read throws
 */
export async function readInParts(client: Client, uri: string, options: Options): Promise<ClientReading> {
  try {
    return await client.read(uri, options)
  } catch (error) {
    if (!ShelfError.is(error, 'too-large') || options.range !== undefined) throw error
    return partByPart(client, uri, options, error)
  }
}

async function partByPart(
  client: Client,
  uri: string,
  options: Options,
  tooLarge: ShelfError<'too-large'>,
): Promise<ClientReading> {
  const { size, limit } = tooLarge.details
  const length = Math.min(limit, PART)
  if (!(length > 0 && size > length)) throw tooLarge
  const parts: Uint8Array[] = []
  const { onProgress, ...rest } = options
  let first: ClientReading | undefined
  for (let offset = 0, total = size; offset < total;) {
    // What goes wrong here is a server without ranges, or says more than the first error did.
    const part = await client.read(uri, { ...rest, range: { offset, length } })
    const [one] = part.contents
    const got = one === undefined ? undefined : bytesOf(one)
    if (part.range === undefined || part.contents.length !== 1 || got === undefined || got.length === 0) throw tooLarge
    first ??= part
    if (part.version !== first.version || part.range.total !== (first.range?.total ?? total)) {
      throw new Error(`${uri} changed while it was read: read it again`)
    }
    total = part.range.total
    parts.push(got)
    offset += got.length
    onProgress?.(offset, total)
  }
  const [one] = first?.contents ?? []
  if (first === undefined || one === undefined) throw tooLarge
  const { range: _range, ...whole } = first
  const { uri: own, mimeType } = one
  return { ...whole, contents: [{ uri: own, ...(mimeType !== undefined && { mimeType }), bytes: Buffer.concat(parts) }] }
}

/** Contents as bytes, text as UTF-8. */
export function bytesOf({ text, bytes }: ReadContents): Uint8Array {
  return bytes ?? Buffer.from(text)
}
