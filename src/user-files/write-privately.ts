import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Puts a file that only its user may read in place of what is there. It is written beside and renamed, so that whoever
 * reads it sees one whole, also after a power cut; of an attempt that fails nothing is left. Throws what the file system
 * throws.
 */
export async function writePrivately(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomUUID()}`
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined)
    throw error
  }
}
