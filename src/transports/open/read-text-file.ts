import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { ShelfError } from '../../errors.ts'
import { plain } from './printable.ts'

/** `~/.claude.json` keeps a history beside its servers and grows to some megabytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** The bytes of a small regular file, or undefined where there is none. Never waits for a pipe or a device. */
export async function readSmallFile(file: string, limit: number = MAX_BYTES): Promise<Uint8Array | undefined> {
  const unreadable = (why: string, cause?: unknown): ShelfError =>
    new ShelfError('unavailable', `${plain(file)} cannot be read: ${why}`, {}, { cause })
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(code, error)
  })
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw unreadable('it is no regular file')
    const tooLarge = (size: number): ShelfError =>
      new ShelfError('too-large', `${plain(file)} has ${size} bytes, and at most ${limit} are read`, { size, limit })
    if (stats.size > limit) throw tooLarge(stats.size)
    // One byte more than was promised, so that a file that grows meanwhile is noticed.
    const buffer = new Uint8Array(stats.size + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > stats.size) throw unreadable('it grew while it was read')
    return buffer.subarray(0, length)
  } catch (error) {
    if (error instanceof ShelfError) throw error
    throw unreadable((error as NodeJS.ErrnoException).code ?? 'unknown error', error)
  } finally {
    await handle.close()
  }
}

/**
 * The text of a file: UTF-8, or UTF-16 with a byte order mark, which PowerShell writes. Marks are left out.
 *
 * @throws ShelfError `parse-error` for bytes that are neither
 */
export function decodeFile(bytes: Uint8Array, file: string): string {
  const mark = bytes.length >= 2 ? `${bytes[0]} ${bytes[1]}` : ''
  const encoding = mark === '255 254' ? 'utf-16le' : mark === '254 255' ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ShelfError('parse-error', `${plain(file)} is not valid ${encoding.toUpperCase()}`, {}, { cause: error })
  }
}
