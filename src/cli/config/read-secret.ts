import { resolve } from 'node:path'
import type { Environment } from '../variable.ts'
import { variable } from '../variable.ts'
import { readWhole } from './read-whole.ts'

/** No key or token is longer. */
const MOST_BYTES = 64 * 1024

/**
 * The secret that is kept in a variable of the environment or in a file, without the end of its line.
 *
 * @throws Error saying what is wrong with the place, and nothing of what is there
 */
export function readSecret(
  where: string,
  { folder, environment }: { readonly folder: string; readonly environment: Environment },
): { readonly secret: string; readonly file?: string } {
  const [, kind, place = ''] = /^(env|file):(.+)$/s.exec(where) ?? []
  if (kind === undefined) throw new Error('wants env:NAME or file:path, so that no secret stands in this file')
  if (kind === 'env') {
    const secret = variable(place, environment)
    if (secret === undefined) throw new Error(`there is no variable ${place} in the environment`)
    return { secret }
  }
  const file = resolve(folder, place)
  const { text, stats } = readWhole(file, MOST_BYTES)
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) throw new Error(`${file} can be read by others: chmod 600 it`)
  return { secret: text.replace(/\r?\n$/, ''), file }
}
