import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ShelfError } from '../../errors.ts'
import { checkHttpUrl } from './http-url.ts'
import { plain, quote } from './printable.ts'
import { decodeFile, readSmallFile } from './read-text-file.ts'
import type { ServerEntry, ServerInput } from './server-entry.ts'
import { textParts, wordParts } from './variables.ts'
import type { TextPart } from './variables.ts'

/** What is started or connected to, with every variable filled in. Holds secrets: not for a log. */
export type ServerLaunch = StdioLaunch | HttpLaunch

export interface StdioLaunch {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** What the server's entry sets, or takes away with undefined; what it has besides is the transport's business. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. Absent: that of the process. */
  readonly cwd?: string
}

export interface HttpLaunch {
  readonly kind: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Where values of variables come from. */
export interface Values {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Asks a person for the value of an input. undefined: there is none, and its default counts. */
  readonly input?: ((input: ServerInput) => string | undefined | Promise<string | undefined>) | undefined
}

/** The environment file of an entry: its path and bytes as they are now. Undefined for an entry without one. */
export async function readEnvFile(entry: ServerEntry, env: Values['env']): Promise<EnvFile | undefined> {
  if (entry.kind !== 'stdio' || entry.envFile === undefined) return undefined
  const parts = textParts(entry.envFile, entry.origin)
  const filler = new Filler(entry, { env })
  const file = resolve(entry.origin?.folder ?? '.', await filler.fill(parts, 'envFile'))
  const bytes = await readSmallFile(file, MAX_ENV_FILE)
  if (bytes === undefined) throw filler.fault(`envFile ${plain(file)} is not there`, 'envFile')
  return { file, bytes }
}

export interface EnvFile {
  readonly file: string
  readonly bytes: Uint8Array
}

const MAX_ENV_FILE = 1024 * 1024

/**
 * Fills in the variables of an entry. Each input is asked for once.
 *
 * @throws ShelfError `invalid-option`, with the variable in `details.option`, for one that is not set or that only a
 *   running editor knows; for a URL or header that HTTP does not allow. No message shows a value
 */
export async function resolveEntry(entry: ServerEntry, values: Values, envFile?: EnvFile): Promise<ServerLaunch> {
  const { origin } = entry
  const filler = new Filler(entry, values)
  const fillAll = async (pairs: Iterable<readonly [string, string]>, key: string): Promise<[string, string][]> => {
    const filled: [string, string][] = []
    // One after the other: a person is asked one question at a time.
    for (const [name, text] of pairs) {
      filled.push([name, await filler.fill(textParts(text, origin), `${key}.${plain(name)}`)])
    }
    return filled
  }
  if (entry.kind !== 'stdio') {
    const url = checkHttpUrl(await filler.fill(textParts(entry.url, origin), 'url'), filler.whose)
    const headers = await fillAll(Object.entries(entry.headers), 'headers')
    for (const [name, value] of headers) checkHeader(name, value, filler)
    return { kind: entry.kind, url, headers: Object.fromEntries(headers) }
  }
  const command = await filler.fill(wordParts(entry.command, origin), 'command')
  if (command === '') throw filler.fault('command is empty once its variables are filled in', 'command')
  const args: string[] = []
  for (const [index, arg] of entry.args.entries()) args.push(await filler.fill(wordParts(arg, origin), `args[${index}]`))
  const cwd = entry.cwd === undefined ? undefined : await filler.fill(wordParts(entry.cwd, origin), 'cwd')
  const set = Object.entries(entry.env).flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]))
  const unset = Object.keys(entry.env).flatMap((name) => (entry.env[name] === null ? [[name, undefined] as const] : []))
  const env = [...readVariables(envFile), ...(await fillAll(set, 'env')), ...unset]
  const folder = origin?.folder
  return {
    kind: 'stdio',
    command,
    args,
    env: Object.fromEntries(env),
    ...((folder !== undefined || cwd !== undefined) && { cwd: resolve(folder ?? '.', cwd ?? '') }),
  }
}

function readVariables(envFile: EnvFile | undefined): [string, string][] {
  if (envFile === undefined) return []
  const pairs = Object.entries(parseEnv(decodeFile(envFile.bytes, envFile.file)))
  return pairs.flatMap(([name, value]) => (value === undefined || value.includes('\0') ? [] : [[name, value]]))
}

/** A field name and what may stand in its value (RFC 9110, 5.1 and 5.5). `fetch` would refuse it too, and show it. */
function checkHeader(name: string, value: string, filler: Filler): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw filler.fault(`${quote(name)} is no name of a header`, name)
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw filler.fault(`header ${name} has a line end or a character that HTTP does not allow`, name)
  }
}

/** Fills in the variables of one entry. */
class Filler {
  /** Names the server in messages. */
  readonly whose: string
  readonly #entry: ServerEntry
  readonly #values: Values
  readonly #answers = new Map<string, string>()

  constructor(entry: ServerEntry, values: Values) {
    this.#entry = entry
    this.#values = values
    this.whose = `Server ${quote(entry.name)} of ${plain(entry.file)}`
  }

  fault(what: string, option: string): ShelfError {
    return new ShelfError('invalid-option', `${this.whose}: ${what}`, { option })
  }

  /** @param key where the text is in the entry */
  async fill(parts: readonly TextPart[], key: string): Promise<string> {
    let text = ''
    for (const part of parts) {
      if (typeof part === 'string') text += part
      else if (part.kind === 'folder') text += part.name
      else if (part.kind === 'env') text += this.#variable(part.name, part.fallback, key)
      else if (part.kind === 'input') text += await this.#input(part.name, key)
      else throw this.fault(`${key} wants ${plain(part.written)}, which only a running editor knows`, part.name)
    }
    if (text.includes('\0')) throw this.fault(`${key} has a NUL character, which no process can be given`, key)
    return text
  }

  #variable(name: string, fallback: string | undefined, key: string): string {
    // As it is set, not as it is inherited: `${env:constructor}` is no variable.
    const value = Object.hasOwn(this.#values.env, name) ? this.#values.env[name] : undefined
    const filled = value ?? fallback
    if (filled !== undefined) return filled
    throw this.fault(`${key} wants the environment variable ${plain(name)}, which is not set: set it and try again`, name)
  }

  async #input(id: string, key: string): Promise<string> {
    const known = this.#answers.get(id)
    if (known !== undefined) return known
    const input = this.#entry.origin?.inputs.find((one) => one.id === id) ?? { id, password: false }
    const answer = (await this.#values.input?.(input)) ?? input.default
    if (answer === undefined) {
      throw this.fault(`${key} wants the input ${quote(id)}, for which there is nobody to ask: write a value in its place`, id)
    }
    this.#answers.set(id, answer)
    return answer
  }
}
