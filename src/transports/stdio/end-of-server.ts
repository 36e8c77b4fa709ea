import { stripVTControlCharacters } from 'node:util'
import { ShelfError } from '../../errors.ts'
import { printable } from '../../runtime/index.ts'

/** Of standard error: the message of an error stands above its stack. */
const LAST_LINES = 20
const LONGEST_LINE = 300

/** Why a server is gone, for a person: what happened, and what it said last on standard error. */
export function endOfServer(what: string, stderr: string): ShelfError<'unavailable'> {
  const lines = stripVTControlCharacters(stderr)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(-LAST_LINES)
    .map((line) => `\n  ${printable(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line)}`)
  const said = lines.length === 0 ? '' : `. The end of its standard error:${lines.join('')}`
  return new ShelfError('unavailable', `${what}${said}`, {})
}

export function exitOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `server exited with code ${code}` : `server exited (${signal})`
}

/** Why a program did not even start. */
export function startFailure(
  error: unknown,
  command: string,
  cwd: string | undefined,
  cwdExists: boolean,
): ShelfError<'unavailable'> {
  const name = JSON.stringify(command)
  const { code } = error as { readonly code?: unknown }
  const why =
    cwd !== undefined && !cwdExists
      ? `no such folder ${JSON.stringify(cwd)}`
      : code === 'ENOENT'
        ? `no such command ${name}`
        : code === 'EACCES'
          ? `${name} may not be executed`
          : code === 'EINVAL' && /\.(?:cmd|bat)$/i.test(command)
            ? `${name} is a script of cmd.exe, and no shell is used; name the program that it runs`
            : `${name}: ${printable(error instanceof Error ? error.message : String(error))}`
  return new ShelfError('unavailable', `could not be started: ${why}`, {}, { cause: error })
}
