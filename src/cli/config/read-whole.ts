import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Stats } from 'node:fs'

/**
 * The text of a regular file that is no larger than so many bytes. A pipe or a device is refused, and not waited for.
 *
 * @throws Error saying what is wrong with it
 */
export function readWhole(path: string, mostBytes: number): { readonly text: string; readonly stats: Stats } {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new Error(`${path} cannot be read: ${codeOf(error)}`, { cause: error })
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error(`${path} is no file`)
    const bytes = Buffer.alloc(mostBytes + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, length)
    }
    if (length > mostBytes) throw new Error(`${path} has more than ${mostBytes} bytes`)
    return { text: decoded(bytes.subarray(0, length), path), stats }
  } finally {
    closeSync(file)
  }
}

function decoded(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Error(`${path} is not UTF-8`, { cause: error })
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
