import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { UsageError } from './output.ts'
import { variable } from './variable.ts'

/** Options that every command about a server has. */
export const SERVER_OPTIONS = {
  header: { type: 'string', multiple: true },
  token: { type: 'string' },
  timeout: { type: 'string' },
  trust: { type: 'boolean' },
  hidden: { type: 'boolean' },
  'no-ignore': { type: 'boolean' },
  json: { type: 'boolean' },
  raw: { type: 'boolean' },
  verbose: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Says how a command is used, as `--help` of it does. */
export const SERVER_OPTIONS_HELP = `  --json               one JSON value a line, for programs
  --raw                print to a terminal what the server sends, control characters included
  --header <n: v>      send this header to a server over HTTP; may be given more than once
  --token <token>      send this bearer token; env:NAME takes it from the environment, where nobody sees it
  --timeout <seconds>  how long one request may take (default 30)
  --trust              start a server of the working folder's mcp.json without asking
  --hidden, --no-ignore  of a folder: hidden files, and what .gitignore leaves out
  -v, --verbose        show what the server writes on standard error, and what else is worth knowing
  -h, --help           this text
`

/** What `<server>` may be, for the help of every command. */
export const SERVER_HELP = `<server> is one of
  https://example.com/mcp    a server over HTTP
  "node server.js --db x"    a command in quotes, started without a shell
  @name                      a server of an mcp.json of Claude, VS Code or Cursor, or of the working folder
  ./docs                     a folder, read as \`shelfmark serve\` would serve it
`

/** What options and arguments were given. */
export type Parsed<T extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>
>

/** Arguments as parsed, or a usage error whose text is one sentence. */
export function parse<const T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T): Parsed<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    // What follows the first sentence tells how to write an argument that begins with a dash.
    throw new UsageError(error instanceof Error ? error.message.replace(/\.\s.*/s, '') : String(error))
  }
}

/** A longer time than this, in seconds, is no time that a timer takes. */
const LONGEST_S = 2_147_483

/** A time from an option in whole seconds, as milliseconds. */
export function parseSeconds(text: string, option: string): number {
  const seconds = parseCount(text, option, 'seconds')
  if (seconds <= LONGEST_S) return 1_000 * seconds
  throw new UsageError(`--${option} takes a number of seconds, at most ${LONGEST_S}, got ${JSON.stringify(text)}`)
}

/** A whole number from an option. */
export function parseCount(text: string, option: string, unit: string, least = 1): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number
  throw new UsageError(`--${option} takes a number of ${unit}, for example 10, got ${JSON.stringify(text)}`)
}

/** A secret of an option. Arguments are seen by everybody on the machine, so it may stand in the environment, as `env:NAME`. */
export function parseSecret(text: string | undefined, option: string): string | undefined {
  const name = /^env:(.+)$/.exec(text ?? '')?.[1]
  if (name === undefined) return text
  const secret = variable(name)
  if (secret === undefined) throw new UsageError(`--${option} ${text}: there is no variable ${name} in the environment`)
  return secret
}

/** `name: value` of each `--header`. */
export function parseHeaders(texts: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const text of texts) {
    const match = /^([^:\s]+):\s*(.*)$/s.exec(text)
    if (match === null) throw new UsageError('--header takes "name: value", for example "X-Team: library"')
    headers[match[1]!] = match[2]!
  }
  return headers
}
