import type { ClientTransport } from '../../client/index.ts'
import type { HttpConnectOptions } from '../http/index.ts'
import type { StdioConnectOptions } from '../stdio/index.ts'
import type { ServerLaunch } from './resolve-entry.ts'

type Login = NonNullable<HttpConnectOptions['authProvider']>

/** Of both transports; each takes what is its own. `headers` go before those of the server's entry. */
export interface ConnectServerOptions extends HttpConnectOptions, Pick<StdioConnectOptions, 'onStderr' | 'graceMs'> {
  /** Makes the `authProvider` of a server over HTTP that is given no token and no header `Authorization`. */
  readonly loginTo?: (url: string) => Login | Promise<Login>
}

/** Makes the connection, not yet started. The transport is loaded here, so that finding and listing servers loads none. */
export async function connectServer(launch: ServerLaunch, options: ConnectServerOptions = {}): Promise<ClientTransport> {
  if (launch.kind === 'stdio') {
    const { maxFrame, onStderr, graceMs } = options
    const { command, args, env, cwd } = launch
    const { connectStdio } = await import('../stdio/index.ts')
    return connectStdio({
      command,
      args,
      env,
      ...(cwd !== undefined && { cwd }),
      ...(maxFrame !== undefined && { maxFrame }),
      ...(onStderr !== undefined && { onStderr }),
      ...(graceMs !== undefined && { graceMs }),
    })
  }
  const { token, maxFrame, headMs, fetch } = options
  const headers = mergeHeaders(launch.headers, options.headers)
  const knows = token !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  const authProvider = options.authProvider ?? (knows ? undefined : await options.loginTo?.(launch.url))
  const { connectHttp } = await import('../http/index.ts')
  // One that is of the form before Streamable HTTP is noticed by its answers, whatever its entry says.
  return connectHttp(launch.url, {
    headers,
    ...(token !== undefined && { token }),
    ...(authProvider !== undefined && { authProvider }),
    ...(maxFrame !== undefined && { maxFrame }),
    ...(headMs !== undefined && { headMs }),
    ...(fetch !== undefined && { fetch }),
  })
}

/** Headers by name in any case, of which the later ones count. */
function mergeHeaders(...sets: readonly (Readonly<Record<string, string>> | undefined)[]): Record<string, string> {
  const merged = new Map<string, readonly [string, string]>()
  for (const set of sets) for (const pair of Object.entries(set ?? {})) merged.set(pair[0].toLowerCase(), pair)
  return Object.fromEntries(merged.values())
}
