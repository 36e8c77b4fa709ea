import type { BigIntStats, Stats } from 'node:fs'
import { ShelfError } from '../../errors.ts'
import type { FilesOptions } from './options.ts'

/** What else than its name and place keeps an object from being served; see `FilesOptions`. */
export type ObjectRules = Required<Pick<FilesOptions, 'symlinks' | 'denyHardlinks' | 'sameDevice'>> & {
  /** Of the root. */
  readonly device: bigint
}

/** The rules of `options`, for a root on `device`. Throws `invalid-option`. */
export function objectRules(options: FilesOptions, device: bigint): ObjectRules {
  const { symlinks = 'within-root', denyHardlinks = false, sameDevice = false } = options
  if (symlinks !== 'within-root' && symlinks !== 'deny') {
    const message = `Wanted "within-root" or "deny" for symbolic links, got ${JSON.stringify(symlinks)}`
    throw new ShelfError('invalid-option', message, { option: 'symlinks' })
  }
  return { symlinks, denyHardlinks, sameDevice, device }
}

/** Whether a file or directory is served, by what the system says of it. A directory has many names by nature. */
export function isServed(rules: ObjectRules, stat: BigIntStats | Stats): boolean {
  if (rules.denyHardlinks && stat.nlink > 1 && !stat.isDirectory()) return false
  return !rules.sameDevice || BigInt(stat.dev) === rules.device
}

/** Whether each object has to be looked at before it is served. */
export function needsLook(rules: ObjectRules): boolean {
  return rules.denyHardlinks || rules.sameDevice
}
