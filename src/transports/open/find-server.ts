import { ShelfError } from '../../errors.ts'
import { fingerprint } from './fingerprint.ts'
import { plain, quote } from './printable.ts'
import { readServers } from './read-servers.ts'
import type { ServersOfFile, ServerWarning } from './read-servers.ts'
import { decodeFile, readSmallFile } from './read-text-file.ts'
import type { ServerEntry } from './server-entry.ts'
import { serverPlaces } from './server-files.ts'
import type { ServerFile, ServerFilesOptions, ServerPlaces } from './server-files.ts'

export interface ServerList {
  /** In the order in which they are looked for. */
  readonly servers: readonly ListedServer[]
  /** Where was looked, each file once. */
  readonly files: readonly SearchedFile[]
  /** What was set aside. */
  readonly warnings: readonly ServerWarning[]
}

export interface ListedServer {
  readonly entry: ServerEntry
  /** The file whose server of the same name is taken instead. */
  readonly shadowedBy?: string
}

export interface SearchedFile {
  readonly file: string
  readonly scope: 'project' | 'user'
  readonly state: 'read' | 'absent' | 'unreadable'
  /** Why it cannot be read, or is no JSON. */
  readonly error?: ShelfError
}

/**
 * Lists the servers that have a name, from the files of hosts or those given. Starts nothing, connects to nothing, and
 * reads only configuration files.
 *
 * @throws ShelfError only for files that were given: absent, unreadable or no JSON
 */
export async function listServers(options: ServerFilesOptions = {}): Promise<ServerList> {
  return listPlaces(serverPlaces(options))
}

async function listPlaces(places: ServerPlaces): Promise<ServerList> {
  const servers: ListedServer[] = []
  const files = new Map<string, SearchedFile>()
  const warnings: ServerWarning[] = []
  const first = new Map<string, string>()
  for (const place of places.files) {
    const result = await readPlace(place, places).catch((error: unknown) => ShelfError.from(error))
    const { file, scope } = place
    if (places.given) {
      if (result instanceof ShelfError) throw result
      if (result === undefined) throw new ShelfError('invalid-option', `${plain(file)} is not there`, { option: 'files' })
    }
    if (result instanceof ShelfError) files.set(file, { file, scope, state: 'unreadable', error: result })
    else files.set(file, { file, scope, state: result === undefined ? 'absent' : 'read' })
    if (result === undefined || result instanceof ShelfError) continue
    warnings.push(...result.warnings)
    for (const entry of result.entries) {
      const shadowedBy = first.get(entry.name)
      servers.push({ entry, ...(shadowedBy !== undefined && { shadowedBy }) })
      if (shadowedBy === undefined) first.set(entry.name, file)
    }
  }
  return { servers, files: [...files.values()], warnings }
}

async function readPlace(place: ServerFile, places: ServerPlaces): Promise<ServersOfFile | undefined> {
  const { file, form, scope, folder, section } = place
  const bytes = await readSmallFile(file)
  if (bytes === undefined) return undefined
  return readServers(decodeFile(bytes, file), file, { form, scope, folder, home: places.home }, section)
}

export interface FindServerOptions extends ServerFilesOptions {
  /** Told of files that cannot be read, of what was set aside, and of a second server with the name. Default: nobody. */
  readonly onWarning?: (message: string) => void
}

/**
 * The server of this name, from the first file that has it.
 *
 * @param name without `@`
 * @throws ShelfError `invalid-option` when there is none: the message says which there are and where was looked
 */
export async function findServer(name: string, options: FindServerOptions = {}): Promise<ServerEntry> {
  const places = serverPlaces(options)
  const list = await listPlaces(places)
  const warn = options.onWarning ?? (() => undefined)
  const [found, ...others] = list.servers.filter(({ entry }) => entry.name === name).map(({ entry }) => entry)
  const about = list.warnings.filter(({ server }) => server === undefined || server === name)
  if (found === undefined) throw unknownName(name, list, about)
  for (const { error } of list.files) if (error !== undefined) warn(error.message)
  for (const { message } of about) warn(message)
  for (const other of others) {
    if (fingerprint(other) === fingerprint(found)) continue
    warn(`Server ${quote(name)} is in ${plain(found.file)}, which is taken, and another in ${plain(other.file)}, which is not`)
  }
  return found
}

/** So many names are listed in an error; a list has no end in a file of that kind. */
const MAX_NAMES = 50

function unknownName(name: string, list: ServerList, about: readonly ServerWarning[]): ShelfError {
  const names = [...new Set(list.servers.map(({ entry }) => entry.name))].toSorted()
  const shown = names.slice(0, MAX_NAMES).map((one) => `@${plain(one)}`)
  if (names.length > MAX_NAMES) shown.push(`${names.length - MAX_NAMES} more`)
  const places = list.files.map(({ file, state }) => (state === 'read' ? plain(file) : `${plain(file)} (${state})`))
  const sentences = [
    `There is no server ${quote(name)}`,
    names.length > 0 ? `There are ${shown.join(', ')}` : 'No file names any server',
    `Looked for in ${places.join(', ')}`,
    ...list.files.flatMap(({ error }) => (error === undefined ? [] : [error.message])),
    ...about.map(({ message }) => message),
  ]
  return new ShelfError('invalid-option', sentences.join('. '), { option: 'server' })
}
