import * as fs from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { refuseLarger } from '../../library/index.ts'
import { read } from './fs-calls.ts'
import type { Opened } from './open-beneath.ts'
import { isSameFile } from './version.ts'

/** A whole body, and the state of the file that it is the body of; no state if the file would not hold still. */
export interface Body {
  readonly bytes: Buffer
  readonly stat: BigIntStats | undefined
}

/**
 * All of an open file, from its descriptor alone. Never more than `maxBytes`: a file that grows while it is read ends in
 * `too-large`. Read again once if it changed meanwhile; after that what the descriptor gave stands.
 */
export async function readBody(opened: Opened, maxBytes: number): Promise<Body> {
  let { stat } = opened
  for (let attempt = 0; ; attempt++) {
    const bytes = await readWhole(opened.fd, Number(stat.size), maxBytes)
    const after = fs.fstatSync(opened.fd, { bigint: true })
    const held = isSameFile(stat, after) && BigInt(bytes.length) === stat.size
    if (held) return { bytes, stat }
    if (attempt === 1) return { bytes, stat: undefined }
    stat = after
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
