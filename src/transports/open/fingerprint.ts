import { createHash } from 'node:crypto'
import type { ServerEntry } from './server-entry.ts'

/**
 * A digest of everything that decides what is started or called: the command, its arguments, folder and environment, or
 * the URL and headers, all as written, with the inputs that may fill them and the bytes of the variable file. Values of
 * the environment count, since `NODE_OPTIONS` or `LD_PRELOAD` make another program of the same command; those that are
 * named by variables do not, since they are the user's own.
 *
 * @param envFile what the entry's variable file holds now
 */
export function fingerprint(entry: ServerEntry, envFile?: Uint8Array): string {
  const { kind, origin } = entry
  const what =
    entry.kind === 'stdio'
      ? [entry.command, entry.args, entry.cwd ?? null, pairs(entry.env), entry.envFile ?? null]
      : [entry.url, pairs(entry.headers)]
  const hash = createHash('sha256').update(JSON.stringify([kind, origin?.form ?? null, origin?.inputs ?? [], what]))
  if (envFile !== undefined) hash.update('\n').update(envFile)
  return hash.digest('hex')
}

function pairs(values: Readonly<Record<string, string | null>>): [string, string | null][] {
  return Object.entries(values).toSorted(byName)
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
