import { resolve } from 'node:path'
import { ShelfError } from '../../errors.ts'
import { requireConsent } from './consent.ts'
import { findServer } from './find-server.ts'
import type { ResolveOptions } from './options.ts'
import { parseServer } from './parse-server.ts'
import type { ServerText } from './parse-server.ts'
import { readEnvFile, resolveEntry } from './resolve-entry.ts'
import type { ServerLaunch } from './resolve-entry.ts'
import type { ServerEntry } from './server-entry.ts'
import { serverPlaces } from './server-files.ts'
import { trustFileOf } from './trust-store.ts'

/** A server, given as text for `parseServer`, as what that gives, or as an entry of a file. */
export type ServerLike = string | ServerText | ServerEntry

/**
 * What opening a server would start or connect to. Finds it, makes sure that it was agreed to, and fills in its
 * variables, in this order; starts nothing and connects to nothing.
 *
 * @throws ShelfError `invalid-option` for a server that is unknown or of which a variable is not set, `refused` for one
 *   of a project that was not agreed to
 */
export async function resolveServer(server: ServerLike, options: ResolveOptions = {}): Promise<ServerLaunch> {
  const meant = typeof server === 'string' ? parseServer(server) : server
  switch (meant.kind) {
    case 'url':
      return { kind: 'http', url: meant.url, headers: {} }
    case 'command':
      return commandLaunch(meant.argv, options.cwd)
    case 'name':
      return resolveNamed(await findServer(meant.name, options), options)
    case 'source':
      throw new ShelfError('invalid-option', `${JSON.stringify(meant.text)} is a source of data, not a server`, {
        option: 'server',
      })
    default:
      return resolveNamed(meant, options)
  }
}

function commandLaunch([command, ...args]: readonly string[], cwd: string | undefined): ServerLaunch {
  if (command === undefined) throw new ShelfError('invalid-option', 'The command names no program', { option: 'server' })
  return { kind: 'stdio', command, args, env: {}, ...(cwd !== undefined && { cwd: resolve(cwd) }) }
}

async function resolveNamed(entry: ServerEntry, options: ResolveOptions): Promise<ServerLaunch> {
  const { home, env } = serverPlaces(options)
  const envFile = await readEnvFile(entry, env)
  const { consent, input, trustFile = trustFileOf({ home, env }), onWarning = () => undefined } = options
  await requireConsent(entry, envFile?.bytes, { consent, trustFile, onWarning })
  return resolveEntry(entry, { env, input }, envFile)
}
