import type { Connect } from '../../client/index.ts'
import { connectServer } from './connect-server.ts'
import type { ConnectServerOptions } from './connect-server.ts'
import type { ResolveOptions } from './options.ts'
import { parseServer } from './parse-server.ts'
import { resolveServer } from './resolve-server.ts'
import type { ServerLike } from './resolve-server.ts'
import type { ServerLaunch } from './resolve-entry.ts'

export interface OpenServerOptions extends ResolveOptions, ConnectServerOptions {}

/**
 * Makes a way to connect to any server: a URL, `@name` of a configuration file, a command, or an entry of such a file.
 * Nothing is read, asked or started before the first connection; later ones, when a connection was lost, start the
 * same again without asking. A failure is not kept: the next connection tries anew.
 *
 * @throws ShelfError `invalid-option` at once for text that is no server; all else is thrown by the connection
 */
export function openServer(server: ServerLike, options: OpenServerOptions = {}): Connect {
  const meant = typeof server === 'string' ? parseServer(server) : server
  let launch: Promise<ServerLaunch> | undefined
  return async () => {
    launch ??= resolveServer(meant, options)
    try {
      return await connectServer(await launch, options)
    } catch (error) {
      launch = undefined
      throw error
    }
  }
}
