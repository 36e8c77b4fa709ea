import { ShelfError } from '../../errors.ts'
import { isHttpUrl } from './http-url.ts'
import type { Json, JsonObject } from './parse-jsonc.ts'
import { parseJsonc } from './parse-jsonc.ts'
import { hasHidden, plain, quote } from './printable.ts'
import type { EntryOrigin, ServerEntry, ServerInput } from './server-entry.ts'
import { textParts } from './variables.ts'

/** Something in a file that was set aside. */
export interface ServerWarning {
  readonly file: string
  /** The server it is about, if it is about one. */
  readonly server?: string
  /** For people: names file, server and key, and no value. */
  readonly message: string
}

export interface ServersOfFile {
  /** In the file's order. */
  readonly entries: readonly ServerEntry[]
  readonly warnings: readonly ServerWarning[]
}

/** Which part of a file: `local` is what `~/.claude.json` keeps for the folder of the origin alone. */
export type FileSection = 'all' | 'local'

/** Why an entry is set aside: the key, and what is wrong with it. */
class OddEntry extends Error {}

/**
 * Reads the servers of a configuration file: under `servers` in VS Code's form, under `mcpServers` in all others, and in
 * either form under the other key when that is the one it has. Unknown fields are ignored, odd entries set aside.
 *
 * @param origin without its inputs, which are in the file
 * @throws ShelfError `parse-error` for what is no JSON, with line and column; `invalid-option` for JSON that is no object
 */
export function readServers(
  text: string,
  file: string,
  origin: Omit<EntryOrigin, 'inputs'>,
  section: FileSection = 'all',
): ServersOfFile {
  const { value, repeated } = parseJsonc(text, plain(file))
  if (!isJsonObject(value)) {
    throw new ShelfError('invalid-option', `${plain(file)} holds no object of servers: wanted is {"mcpServers": {...}}`, {
      option: 'files',
    })
  }
  const holder = section === 'local' ? localPart(value, origin.folder) : value
  if (holder === undefined) return { entries: [], warnings: [] }
  const keys = origin.form === 'vscode' ? ['servers', 'mcpServers'] : ['mcpServers', 'servers']
  const key = keys.find((name) => holder.has(name))
  if (key === undefined) return { entries: [], warnings: [] }
  const servers = holder.get(key)
  const warnings: ServerWarning[] = []
  const warn = (what: string, server?: string): void => {
    const whose = server === undefined ? '' : ` server ${quote(server)}`
    warnings.push({ file, message: `${plain(file)}:${whose} ${what}`, ...(server !== undefined && { server }) })
  }
  if (!isJsonObject(servers)) {
    warn(`${key} is no object of servers, and is ignored`)
    return { entries: [], warnings }
  }
  // A file of any name in VS Code's form has VS Code's variables.
  const form = origin.form === 'claude-code' && key === 'servers' ? 'vscode' : origin.form
  const full: EntryOrigin = { ...origin, form, inputs: readInputs(value.get('inputs')) }
  for (const path of repeated) {
    const server = path.at(-1)
    if (path.at(-2) === key && typeof server === 'string') warn('is there twice; the last one counts', server)
  }
  const entries: ServerEntry[] = []
  for (const [name, server] of servers) {
    try {
      entries.push(readEntry(name, server, file, full))
    } catch (error) {
      if (!(error instanceof OddEntry)) throw error
      warn(`is set aside: ${error.message}`, name)
    }
  }
  return { entries, warnings }
}

/** What is under `projects` for this folder: "MCP installation scopes", Claude Code docs, Connect to tools via MCP. */
function localPart(value: JsonObject, folder: string): JsonObject | undefined {
  const projects = value.get('projects')
  const part = isJsonObject(projects) ? projects.get(folder) : undefined
  return isJsonObject(part) ? part : undefined
}

function readEntry(name: string, value: Json, file: string, origin: EntryOrigin): ServerEntry {
  if (name === '' || hasHidden(name)) throw new OddEntry('its name is empty or has characters that cannot be seen')
  if (!isJsonObject(value)) throw new OddEntry('it is no object')
  const kind = readKind(value)
  const common = { name, file, origin }
  if (kind !== 'stdio') {
    const url = stringAt(value, 'url')
    if (url === undefined) throw new OddEntry('url is missing')
    const [start] = textParts(url, origin)
    if (typeof start === 'string' && !isHttpUrl(url)) throw new OddEntry('url does not begin with http:// or https://')
    return { ...common, kind, url, headers: stringsAt(value, 'headers') }
  }
  const command = stringAt(value, 'command')
  if (command === undefined || command === '') throw new OddEntry('command is missing')
  const cwd = stringAt(value, 'cwd')
  // The other hosts have no such field, and a variable file is read before anything is seen of it.
  const envFile = origin.form === 'vscode' || origin.form === 'cursor' ? stringAt(value, 'envFile') : undefined
  const env = stringsAt(value, 'env')
  const bad = Object.keys(env).find((key) => key === '' || /[=\0]/.test(key))
  if (bad !== undefined) throw new OddEntry(`env.${plain(bad)} is no name of an environment variable`)
  const args = readArgs(value.get('args'))
  if ([command, cwd ?? '', ...args, ...Object.values(env)].some((text) => text?.includes('\0'))) {
    throw new OddEntry('a text has a NUL character, which no process can be given')
  }
  return { ...common, kind, command, args, env, ...(cwd !== undefined && { cwd }), ...(envFile !== undefined && { envFile }) }
}

/** Streamable HTTP goes by the names of the protocol, of Claude Code and of older hosts. */
const HTTP_TYPES = ['http', 'streamable-http', 'streamableHttp', 'streamable_http']

function readKind(value: JsonObject): ServerEntry['kind'] {
  const type = value.get('type')
  if (type === undefined) {
    if (value.has('command') && value.has('url'))
      throw new OddEntry('it has a command and a url, and type does not say which counts')
    return value.has('url') ? 'http' : 'stdio'
  }
  if (typeof type === 'string' && HTTP_TYPES.includes(type)) return 'http'
  if (type === 'stdio' || type === 'sse') return type
  throw new OddEntry(typeof type === 'string' ? `type ${quote(type)} is not known` : 'type is no string')
}

function readArgs(value: Json | undefined): string[] {
  if (value === undefined) return []
  if (!isJsonArray(value)) throw new OddEntry('args is no list')
  return value.map((arg, index) => {
    if (typeof arg === 'string') return arg
    throw new OddEntry(`args[${index}] is no string`)
  })
}

function stringAt(value: JsonObject, key: string): string | undefined {
  const text = value.get(key)
  if (text !== undefined && typeof text !== 'string') throw new OddEntry(`${key} is no string`)
  return text
}

/** Strings by name. VS Code allows numbers, and null for an environment variable that is to be taken away. */
function stringsAt(value: JsonObject, key: 'env'): Record<string, string | null>
function stringsAt(value: JsonObject, key: 'headers'): Record<string, string>
function stringsAt(value: JsonObject, key: 'env' | 'headers'): Record<string, string | null> {
  const object = value.get(key)
  if (object === undefined || object === null) return {}
  if (!isJsonObject(object)) throw new OddEntry(`${key} is no object`)
  const pairs = [...object].map(([name, text]) => {
    if (text === null && key === 'env') return [name, null] as const
    if (typeof text === 'string' || typeof text === 'number') return [name, String(text)] as const
    throw new OddEntry(`${key}.${plain(name)} is no string`)
  })
  return Object.fromEntries(pairs)
}

function readInputs(value: Json | undefined): ServerInput[] {
  if (!isJsonArray(value)) return []
  return value.flatMap((item) => {
    const id = isJsonObject(item) ? item.get('id') : undefined
    if (!isJsonObject(item) || typeof id !== 'string') return []
    const [description, preset] = [item.get('description'), item.get('default')]
    return [
      {
        id,
        password: item.get('password') === true,
        ...(typeof description === 'string' && { description }),
        ...(typeof preset === 'string' && { default: preset }),
      },
    ]
  })
}

const isJsonObject = (value: Json | undefined): value is JsonObject => value instanceof Map
const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
