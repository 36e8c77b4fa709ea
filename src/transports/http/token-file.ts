import { readFileSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { ShelfError } from '../../errors.ts'
import type { Authenticate } from './authenticate.ts'
import { parseTokens, staticTokens } from './static-tokens.ts'

/** The file is looked at again when it was not for so long, in milliseconds: so long a withdrawn token may still do. */
const LOOK_MS = 1_000

/**
 * The tokens of a file (see `parseTokens`), which may change while they are used: a token that is taken out is refused
 * within a second. What makes the file worse is told to `onWarning`, once, and what was good before stays.
 *
 * @throws ShelfError `invalid-option` for a file that cannot be read, is none, or that others may write to
 */
export function tokenFile(path: string, onWarning: (message: string) => void = () => undefined): Authenticate {
  let stats = statOf(path)
  let tokens = read(path, stats)
  let lookedAt = performance.now()
  let warned = ''
  const look = (): void => {
    lookedAt = performance.now()
    try {
      const now = statOf(path)
      if (isSame(now, stats)) return
      tokens = read(path, now)
      stats = now
      warned = ''
    } catch (error) {
      const { message } = ShelfError.from(error)
      if (message !== warned) onWarning(`${message}; the tokens of before are used`)
      warned = message
    }
  }
  return (token) => {
    if (performance.now() - lookedAt >= LOOK_MS) look()
    return tokens(token)
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs && one.mode === other.mode
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch {
    throw refused(`The file of tokens ${path} cannot be read: check the path and its permissions`)
  }
}

function read(path: string, stats: Stats): Authenticate {
  if (!stats.isFile()) throw refused(`${path} is no file of tokens`)
  if (process.platform !== 'win32' && (stats.mode & 0o022) !== 0) {
    throw refused(`Others may write to ${path}, and so let themselves in: chmod go-w it`)
  }
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw refused(`The file of tokens ${path} cannot be read: check its permissions`)
  }
  return staticTokens(parseTokens(text, path))
}

function refused(message: string): ShelfError<'invalid-option'> {
  return new ShelfError('invalid-option', message, { option: 'tokens' })
}
