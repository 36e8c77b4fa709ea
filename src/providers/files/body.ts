import * as fs from 'node:fs'
import { partOf, refuseLarger } from '../../library/index.ts'
import type { ByteRange, Reading } from '../../library/index.ts'
import { read } from './fs-calls.ts'
import type { Opened } from './open-beneath.ts'
import { isSameFile, versionOf } from './version.ts'

/** Bytes of a file, and the version of the state that they are of; no version if the file would not hold still. */
export interface Body {
  readonly bytes: Buffer
  readonly version?: string
}

/** Part of a body, and which part it is. */
export interface Part extends Body {
  readonly range: NonNullable<Reading['range']>
}

/** All of an open file. Never more than `maxBytes`: a file that grows while it is read ends in `too-large`. */
export function readBody(opened: Opened, version: string, maxBytes: number): Promise<Body> {
  return readStill(opened, version, async (size) => {
    const bytes = await readWhole(opened.fd, size, maxBytes)
    return { bytes, complete: bytes.length === size }
  })
}

/** Part of an open file, as much as there was; `too-large` for a part of more than `maxBytes`. */
export function readRange(opened: Opened, version: string, range: ByteRange, maxBytes: number): Promise<Part> {
  return readStill(opened, version, async (total) => {
    const { offset, length } = partOf(range, total, maxBytes)
    const bytes = await readPart(opened.fd, offset, length)
    return { bytes, range: { offset, length: bytes.length, total }, complete: bytes.length === length }
  })
}

/**
 * What is read of an open file, from its descriptor alone. Read again once if the file changed meanwhile; after that what
 * the descriptor gave stands, and is of no version.
 *
 * @param version of the state in which it was opened
 */
async function readStill<T extends { readonly complete: boolean }>(
  opened: Opened,
  version: string,
  readOnce: (size: number) => Promise<T>,
): Promise<T & { readonly version?: string }> {
  let { stat } = opened
  let current = version
  for (let attempt = 0; ; attempt++) {
    const got = await readOnce(Number(stat.size))
    const after = fs.fstatSync(opened.fd, { bigint: true })
    if (got.complete && isSameFile(stat, after)) return { ...got, version: current }
    if (attempt === 1) return got
    stat = after
    // Made before the bytes are read: later, a change of this very instant would pass for one long ago.
    current = versionOf(after)
  }
}

async function readWhole(fd: number, size: number, maxBytes: number): Promise<Buffer> {
  refuseLarger(size, maxBytes)
  // One byte more than is there: a file that holds still is then read in one call, since less came than was asked for.
  let buffer = Buffer.allocUnsafe(size + 1)
  let length = 0
  for (;;) {
    const asked = buffer.length - length
    const got = await read(fd, buffer, length, asked, length)
    length += got
    if (got < asked && (got === 0 || length === size)) return buffer.subarray(0, length)
    if (length < buffer.length) continue
    refuseLarger(length, maxBytes)
    const larger = Buffer.allocUnsafe(Math.min(maxBytes + 1, Math.max(2 * length, 4_096)))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
}

/** Bytes `offset` to `offset + length` of an open file; fewer if it ends before. */
export async function readPart(fd: number, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const got = await read(fd, buffer, done, length - done, offset + done)
    if (got === 0) break
    done += got
  }
  return buffer.subarray(0, done)
}
