import { randomBytes } from 'node:crypto'
import { chmod, lstat, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes a file as a whole or not at all: beside it first, so that what was there stays until all of the new is there. What
 * is no plain file - a pipe, a device, a link to somewhere - is written to as it is.
 */
export async function writeWhole(path: string, data: string | Uint8Array, signal: AbortSignal): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there !== undefined && !there.isFile()) return writeFile(path, data, { signal })
  const beside = join(dirname(path), `.shelfmark-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(beside, data, { signal, flag: 'wx' })
    if (there !== undefined) await chmod(beside, there.mode)
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // The system names the file beside it, of which nobody knows.
    throw new Error(`${path} cannot be written: its folder is not there`, { cause: error })
  }
}
