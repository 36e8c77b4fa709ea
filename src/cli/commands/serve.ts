import { existsSync } from 'node:fs'
import { localCall } from '../../library/index.ts'
import { endProcess, outliveStderr, printable } from '../../runtime/index.ts'
import type { EngineOptions } from '../../server/index.ts'
import type { HttpOptions, HttpServer } from '../../transports/http/index.ts'
import { SERVE_HELP } from '../help.ts'
import { fail, print, say, UsageError } from '../output.ts'
import { OPTIONS } from '../serve/given.ts'
import type { OpenMount } from '../serve/mounts.ts'
import type { Origin } from '../serve/origin.ts'
import { CommandLine, ConfigFile } from '../serve/origin.ts'
import { Served } from '../serve/served.ts'
import type { HttpSettings } from '../serve/settings.ts'
import { toolModules } from '../serve/tools.ts'
import { unfitForHttp } from '../serve/unfit-for-http.ts'
import { parse } from '../server-options.ts'
import { STOP_SIGNALS } from '../signals.ts'
import { VERSION } from '../version.ts'

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help) {
    print(SERVE_HELP)
    return
  }
  const { config } = values
  if (positionals.length === 0 && config === undefined) throw nothingToServe()
  outliveStderr()
  const origin: Origin =
    config === undefined ? new CommandLine(values, positionals) : await ConfigFile.open(config, values, positionals)
  try {
    if (values['dry-run'] === true) await dryRun(origin)
    else await serve(origin)
  } catch (error) {
    throw origin.explained(error)
  }
}

/** A file in the working folder is used when it is named, and not because it is there. */
function nothingToServe(): UsageError {
  const file = ['shelfmark.yaml', 'shelfmark.yml', 'shelfmark.json'].find((name) => existsSync(name))
  const hint = file === undefined ? '' : `; to use the ${file} of this folder: shelfmark serve --config ${file}`
  return new UsageError(`serve needs a source, for example: shelfmark serve ./docs${hint}`)
}

/** Says what would be served, and serves nothing. */
async function dryRun(origin: Origin): Promise<void> {
  const settings = origin.read()
  const served = await Served.try(settings)
  const { http } = settings
  if (http !== undefined) {
    const { checkHttpOptions } = await import('../../transports/http/index.ts')
    await forHttp(http, async (options) => checkHttpOptions({ ...options, ...served.admission }))
  }
  const { describeServed } = await import('../serve/describe.ts')
  print(describeServed(settings, served))
}

async function serve(origin: Origin): Promise<void> {
  const settings = origin.read()
  const served = await Served.open(settings)
  const modules = toolModules(served.library, settings.tools)
  const engine = { limits: settings.limits, extended: true, sealer: served.sealer, modules }
  const { http } = settings
  const { server, close } = http === undefined ? await onStdio(served, engine) : await overHttp(served, engine, http)
  const reload = await origin.followed?.({
    served,
    started: settings,
    ...(server !== undefined && { server }),
    onMounts: (mounts) => void sayWhatIsEmpty(mounts),
  })
  closeOnSignal(close, reload)
  if (server !== undefined || process.stdin.isTTY) announce(served.mounts)
  if (server !== undefined) {
    process.stderr.write(`${server.url}\n`)
    if (process.stderr.isTTY) process.stderr.write('Give this address to an MCP host; to stop press Ctrl+C\n')
  } else if (process.stdin.isTTY) {
    process.stderr.write('It waits for an MCP host on standard input; to serve over HTTP add --http 7467, to stop press Ctrl+C\n')
  }
  void sayWhatIsEmpty(served.mounts)
}

/** A server, and how it is closed. */
interface Running {
  /** Absent on stdio. */
  readonly server?: HttpServer
  readonly close: () => Promise<void>
}

async function onStdio(served: Served, engine: Partial<EngineOptions>): Promise<Running> {
  const { serveStdio } = await import('../../transports/stdio/index.ts')
  const server = await serveStdio(served.library, engine)
  // Requests write their lines until the server is closed, by whomever.
  const ended = server.closed.then(() => served.closeLog())
  return {
    close: async () => {
      await server.close()
      await ended
    },
  }
}

async function overHttp(served: Served, engine: Partial<EngineOptions>, http: HttpSettings): Promise<Running> {
  const { serveHttp } = await import('../../transports/http/index.ts')
  const server = await forHttp(http, (options) => serveHttp(served.library, { ...options, ...engine, ...served.admission }))
  return {
    server,
    close: async () => {
      await server.close()
      await served.closeLog()
    },
  }
}

/** Does something with the options of HTTP; what is wrong with one is said of its setting. */
async function forHttp<T>(http: HttpSettings, use: (options: HttpOptions) => Promise<T>): Promise<T> {
  const { listening } = await import('../secured.ts')
  try {
    return await use(listening(http))
  } catch (error) {
    throw unfitForHttp(error)
  }
}

/** What is served, and under which URIs. */
function announce(mounts: readonly OpenMount[]): void {
  const all = mounts.flatMap(({ served }) => served.map(({ text, as }) => `${printable(text)} as ${as}`))
  process.stderr.write(`shelfmark ${VERSION} serves ${all.join(', ')}\n`)
}

/** A folder of which nothing is listed is a riddle to whoever wanted it served. */
async function sayWhatIsEmpty(mounts: readonly OpenMount[]): Promise<void> {
  for (const { text, provider, remote } of mounts) {
    // Nothing is started or asked before a host wants it.
    if (remote) continue
    const page = await provider.list({ limit: 1 }, localCall()).catch(() => undefined)
    if (page?.items.length === 0)
      say(
        `nothing in ${text} is served now: hidden files, what .gitignore leaves out, and secrets are not (see --hidden, --no-ignore)`,
      )
  }
}

/** What a file that is just being read gets when nobody wants to wait, in milliseconds. */
const AT_ONCE_MS = 50

/** The first signal lets streams and requests end; a second one does not wait. SIGHUP has settings read again, where some are. */
function closeOnSignal(close: () => Promise<void>, reload: (() => boolean) | undefined): void {
  let asked = false
  const end = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGHUP' && reload?.() === true) return
    if (asked) return endProcess(1, signal, AT_ONCE_MS)
    asked = true
    close().then(
      () => endProcess(0, signal),
      (error: unknown) => {
        fail(error)
        endProcess(1, signal)
      },
    )
  }
  for (const signal of STOP_SIGNALS) process.on(signal, end)
}
