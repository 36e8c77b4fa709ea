import { parseArgs } from 'node:util'
import { ShelfError } from '../../errors.ts'
import type { Library, Provider } from '../../library/index.ts'
import { createLibrary } from '../../library/index.ts'
import { SERVE_HELP } from '../help.ts'
import { fail, printable, UsageError } from '../output.ts'
import { openSource, parseSource } from '../sources.ts'
import { VERSION } from '../version.ts'

const OPTIONS = {
  http: { type: 'string' },
  name: { type: 'string' },
  hidden: { type: 'boolean' },
  'no-ignore': { type: 'boolean' },
  'max-read': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args)
  if (values.help) {
    process.stdout.write(SERVE_HELP)
    return
  }
  if (positionals.length === 0) throw new UsageError('serve needs a source, for example: shelfmark serve ./docs')
  const address = values.http === undefined ? undefined : parseAddress(values.http)
  const limits = values['max-read'] === undefined ? {} : { limits: { maxRead: parseBytes(values['max-read']) } }
  const library = mountAll(positionals, values.name ?? 'shelfmark', {
    hidden: values.hidden ?? false,
    ignore: !(values['no-ignore'] ?? false),
  })
  if (address === undefined) {
    const { serveStdio } = await import('../../transports/stdio/index.ts')
    const server = await serveStdio(library, limits)
    closeOnSignal(() => server.close())
    if (process.stdin.isTTY) {
      process.stderr.write(
        'shelfmark waits for an MCP host on standard input; to serve over HTTP add --http 7467, to stop press Ctrl+C\n',
      )
    }
    return
  }
  const { serveHttp } = await import('../../transports/http/index.ts')
  const server = await serveHttp(library, { ...address, ...limits })
  closeOnSignal(() => server.close())
  process.stderr.write(`shelfmark ${VERSION} serves ${printable(positionals.join(', '))}\n${server.url}\n`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** `[host:]port`; an IPv6 host stands in brackets. */
export function parseAddress(text: string): { readonly host?: string; readonly port: number } {
  const match = /^(?:(\[[0-9a-f:]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535)
    throw new UsageError(`--http takes [host:]port, for example 7467 or 127.0.0.1:7467, got ${JSON.stringify(text)}`)
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return host === undefined ? { port } : { host, port }
}

function parseBytes(text: string): number {
  const bytes = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(bytes) || bytes === 0) {
    throw new UsageError(`--max-read takes a number of bytes, for example 10485760, got ${JSON.stringify(text)}`)
  }
  return bytes
}

function mountAll(
  sources: readonly string[],
  name: string,
  options: { readonly hidden: boolean; readonly ignore: boolean },
): Library {
  const library = createLibrary({ name: machineName(name), title: name, version: VERSION })
  const names = new Set<string>()
  for (const text of sources) {
    try {
      library.mount(named(openSource(parseSource(text), options), names))
    } catch (error) {
      if (!ShelfError.is(error, 'duplicate')) throw error
      throw new UsageError(
        `Two sources have the same name, the second is ${JSON.stringify(text)}: give it another, for example other=${parseSource(text).path}`,
      )
    }
  }
  return library
}

/** A provider under a name of its own: `Race=` and `race=` are two roots, and derive the same one. */
function named(provider: Provider, taken: Set<string>): Provider {
  let { name } = provider
  for (let i = 2; taken.has(name); i++) name = `${provider.name}-${i}`
  taken.add(name)
  return name === provider.name ? provider : { ...provider, name }
}

/** A name as the protocol's identifiers have it: what does not fit becomes `-`. */
function machineName(name: string): string {
  const text = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z]+/, '')
  if (text === '') throw new UsageError(`--name needs at least one letter, got ${JSON.stringify(name)}`)
  return text
}

/** The first signal lets streams and requests end; a second one does not wait. */
function closeOnSignal(close: () => Promise<void>): void {
  let asked = false
  const end = (): void => {
    if (asked) process.exit(1)
    asked = true
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        fail(error)
        process.exit()
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}
