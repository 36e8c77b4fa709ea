import { existsSync, statSync } from 'node:fs'
import { ShelfError } from '../errors.ts'
import type { Client, ClientOptions, Connect } from '../client/index.ts'
import { openClient } from '../client/index.ts'
import type { Notice } from '../library/index.ts'
import { createLibrary } from '../library/index.ts'
import type { ConsentRequest, ServerText } from '../transports/open/index.ts'
import { openServer, parseServer } from '../transports/open/index.ts'
import { askConsent } from './ask-consent.ts'
import { note, say, UsageError } from './output.ts'
import { parseHeaders, parseSeconds, parseSecret } from './server-options.ts'
import { openSource, parseSource } from './sources.ts'
import { harmless } from './standard-output.ts'
import { VERSION } from './version.ts'

/** The values of `SERVER_OPTIONS`. */
export interface TargetOptions {
  readonly header?: readonly string[] | undefined
  readonly token?: string | undefined
  readonly timeout?: string | undefined
  readonly trust?: boolean | undefined
  readonly hidden?: boolean | undefined
  readonly 'no-ignore'?: boolean | undefined
  readonly verbose?: boolean | undefined
  readonly raw?: boolean | undefined
}

/** How long a connection may take, in milliseconds. */
const CONNECT_MS = 300_000

/** A client of whatever `<server>` is: a source is read as it would be served. */
export function openTarget(text: string, options: TargetOptions, more: ClientOptions = {}): Client {
  const timeoutMs = options.timeout === undefined ? 30_000 : parseSeconds(options.timeout, 'timeout')
  return openClient(connectTo(text, options), {
    ...more,
    info: { name: 'shelfmark', version: VERSION },
    timeoutMs,
    // A server may have to be downloaded first, and a person may be asked before; whoever says how long means that too.
    connectTimeoutMs: options.timeout === undefined ? CONNECT_MS : timeoutMs,
    onNotice: ({ level, message, provider }: Notice) => {
      if (level === 'warning' || options.verbose === true) note(provider === undefined ? message : `${provider}: ${message}`)
    },
  })
}

/** How `<server>` is connected to. */
export function connectTo(text: string, options: TargetOptions): Connect {
  const meant = serverOf(text)
  if (meant.kind === 'source') return connectToSource(text, options)
  if (meant.kind === 'command' && meant.argv.length === 1) refuseNoCommand(meant.argv[0]!)
  const token = parseSecret(options.token, 'token')
  const shown = process.stderr.isTTY && options.raw !== true ? harmless : (output: string): string => output
  const asks = options.trust === true || (process.stdin.isTTY && process.stderr.isTTY)
  return openServer(meant, {
    headers: parseHeaders(options.header ?? []),
    ...(token !== undefined && { token }),
    ...(options.verbose === true && { onStderr: (output: string) => void process.stderr.write(shown(output)) }),
    onWarning: say,
    loginTo,
    // With nobody to ask, the refusal shows what would be started.
    ...(asks && { consent: (request: ConsentRequest) => options.trust === true || askConsent(request) }),
  })
}

/** Whether `<server>` is the URL of one. */
export function isHttpServer(text: string): boolean {
  return serverOf(text).kind === 'url'
}

/** What `<server>` means; text that means nothing was typed wrongly. */
function serverOf(text: string): ServerText {
  try {
    return parseServer(text, { exists: (path) => existsSync(parseSource(path).path) })
  } catch (error) {
    throw ShelfError.is(error, 'invalid-option') ? new UsageError(error.message) : error
  }
}

/** The headers that every request to a server over HTTP carries, its token among them. */
export function loginHeaders(options: TargetOptions): Record<string, string> {
  const token = parseSecret(options.token, 'token')
  const headers = parseHeaders(options.header ?? [])
  return token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` }
}

/** A login that is kept is used; a new one wants a person. */
async function loginTo(url: string) {
  const { loginInBrowser } = await import('../transports/http/index.ts')
  if (process.stderr.isTTY) return loginInBrowser({ url })
  const show = (): never => {
    throw new ShelfError(
      'refused',
      `${new URL(url).origin} wants a login: run this once in a terminal, or give a token with --token`,
      {},
    )
  }
  return loginInBrowser({ url, show, open: false })
}

/** What is no program: a host with its port, and a path that is not there, or is a folder and stands behind `mcp:`. */
function refuseNoCommand(path: string): void {
  if (/^[\w.-]+:\d+(?:\/|$)/.test(path)) {
    throw new UsageError(`There is no command ${JSON.stringify(path)}; if it is a URL, give it as http://${path}`)
  }
  if (!looksLikePath(path)) return
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    throw new UsageError(`There is no ${path}: give a folder that is there, a URL, @name or a command in quotes`)
  }
  if (found.isDirectory()) throw new UsageError(`${path} is a folder, and no server: give it without mcp:`)
}

function looksLikePath(text: string): boolean {
  return /^(?:\.{0,2}\/|~|[A-Za-z]:\\|\.{1,2}$)/.test(text)
}

function connectToSource(text: string, options: TargetOptions): Connect {
  const sourceOptions = { hidden: options.hidden ?? false, ignore: options['no-ignore'] !== true, poll: false }
  return async () => {
    const { connectMemory } = await import('../transports/memory/index.ts')
    const library = createLibrary({ name: 'shelfmark', version: VERSION }).mount(openSource(parseSource(text), sourceOptions))
    return connectMemory(library, { extended: true })
  }
}
