import { resolve } from 'node:path'
import { showCommand } from './command-line.ts'
import { showUrl } from './http-url.ts'
import { plain, quote } from './printable.ts'
import type { ServerEntry } from './server-entry.ts'
import { showParts, textParts, wordParts } from './variables.ts'

/** What opening a server does, for a person to agree to. Everything is on one line each and shows no secret. */
export interface ServerDescription {
  readonly name: string
  readonly file: string
  /**
   * The exact words that are started, quoted as for a shell; variables of the environment and inputs are as written.
   * Instead of `url`.
   */
  readonly command?: string
  /** The folder it is started in. */
  readonly cwd?: string
  /** The file that further environment variables are taken from. */
  readonly envFile?: string
  /** Values of its query are `***`. */
  readonly url?: string
  /** Each `NAME=***`, or `NAME=` for one that is taken away. */
  readonly env: readonly string[]
  /** Each `Name: ***`. */
  readonly headers: readonly string[]
  /** What it is given of yours: environment variables and inputs that its texts name, as `${env:TOKEN}`, each once. */
  readonly variables: readonly string[]
}

/** Describes a server without starting it, asking anything or looking at the environment. */
export function describeServer(entry: ServerEntry): ServerDescription {
  const { name, file, origin } = entry
  const texts =
    entry.kind === 'stdio'
      ? [entry.command, ...entry.args, entry.cwd ?? '', entry.envFile ?? '', ...Object.values(entry.env)]
      : [entry.url, ...Object.values(entry.headers)]
  const variables = new Set<string>()
  for (const text of texts) {
    for (const part of textParts(text ?? '', origin)) {
      if (typeof part !== 'string' && part.kind !== 'folder') variables.add(plain(part.written))
    }
  }
  const common = { name, file: plain(file), variables: [...variables] }
  if (entry.kind !== 'stdio') {
    const headers = Object.keys(entry.headers).map((key) => `${plain(key)}: ***`)
    return { ...common, url: plain(showUrl(showParts(textParts(entry.url, origin)))), env: [], headers }
  }
  const folder = origin?.folder ?? process.cwd()
  return {
    ...common,
    command: showCommand([entry.command, ...entry.args].map((word) => showParts(wordParts(word, origin)))),
    cwd: plain(resolve(folder, showParts(wordParts(entry.cwd ?? '', origin)))),
    env: Object.entries(entry.env).map(([key, value]) => `${plain(key)}=${value === null ? '' : '***'}`),
    headers: [],
    ...(entry.envFile !== undefined && { envFile: plain(resolve(folder, showParts(textParts(entry.envFile, origin)))) }),
  }
}

/** The description as lines of text, without line ends, for a terminal or an error. */
export function formatDescription(description: ServerDescription): string[] {
  const { name, file, command, cwd, envFile, url, env, headers, variables } = description
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['server', `${quote(name)} of ${file}`],
    ['starts', command],
    ['in', cwd],
    ['connects to', url],
    ['sets', env.join(' ')],
    ['sets all of', envFile],
    ['sends', headers.join(', ')],
    ['takes from you', variables.join(' ')],
  ]
  return rows.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [`${label}: ${text}`]))
}
