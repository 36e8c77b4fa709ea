import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ShelfError } from '../../errors.ts'
import { configHome, writePrivately } from '../../user-files/index.ts'
import type { Json } from './parse-jsonc.ts'
import { parseJsonc } from './parse-jsonc.ts'
import { plain } from './printable.ts'
import { decodeFile, readSmallFile } from './read-text-file.ts'
import type { ServerPlaces } from './server-files.ts'

/** One thing that was agreed to: this server, of this file, as long as it has this fingerprint. */
export interface Trusted {
  readonly file: string
  readonly name: string
  readonly fingerprint: string
}

/** The oldest go first. */
const MAX_TRUSTED = 1_000

/** `shelfmark/trust.json` in the user's folder for configuration. */
export function trustFileOf({ home, env }: Pick<ServerPlaces, 'home' | 'env'>): string {
  return join(configHome(env, home), 'shelfmark', 'trust.json')
}

/**
 * What was agreed to, oldest first; nothing where there is no store yet.
 *
 * @throws ShelfError for a store that cannot be read, that is no store, or that others could have written to
 */
export async function readTrusted(file: string): Promise<readonly Trusted[]> {
  const bytes = await readSmallFile(file)
  if (bytes === undefined) return []
  const { mode, uid } = await stat(file)
  const own = process.getuid?.()
  if (own !== undefined && ((mode & 0o022) !== 0 || (uid !== own && uid !== 0))) {
    throw new ShelfError('unavailable', `${plain(file)} can be written to by others, and does not count: chmod 600 it`, {})
  }
  const { value } = parseJsonc(decodeFile(bytes, file), plain(file))
  const list = value instanceof Map ? (value as ReadonlyMap<string, Json>).get('trusted') : undefined
  if (!Array.isArray(list)) {
    throw new ShelfError('parse-error', `${plain(file)} has no list "trusted": it is no store of consent`, {})
  }
  return list.flatMap((item: Json) => {
    if (!(item instanceof Map)) return []
    const [path, name, fingerprint] = [item.get('file'), item.get('name'), item.get('fingerprint')]
    if (typeof path !== 'string' || typeof name !== 'string' || typeof fingerprint !== 'string') return []
    return [{ file: path, name, fingerprint }]
  })
}

/** Writes of this process, one after the other, so that none is lost. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Adds to the store. It is written beside itself and renamed, so that whoever reads it sees one whole; only its owner
 * may read it.
 *
 * @throws ShelfError when it cannot be written, or what is there is no store: nothing is then overwritten
 */
export function addTrusted(file: string, trusted: Trusted): Promise<void> {
  const written = last.then(() => write(file, trusted))
  last = written.catch(() => undefined)
  return written
}

async function write(file: string, trusted: Trusted): Promise<void> {
  const others = (await readTrusted(file)).filter((one) => !same(one, trusted))
  const text = `${JSON.stringify({ trusted: [...others, trusted].slice(-MAX_TRUSTED) }, null, 2)}\n`
  // A link, as those who keep their configuration elsewhere have, stays one.
  const target = await realpath(file).catch(() => file)
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writePrivately(target, text)
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new ShelfError('unavailable', `${plain(file)} cannot be written: ${why}`, {}, { cause: error })
  }
}

const same = (one: Trusted, other: Trusted): boolean =>
  one.file === other.file && one.name === other.name && one.fingerprint === other.fingerprint
