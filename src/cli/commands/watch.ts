import type { Client, Watch, WatchEvent } from '../../client/index.ts'
import { print, UsageError } from '../output.ts'
import { parse, parseCount, parseSeconds, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { lineOf, writeJson, writeLine } from '../standard-output.ts'
import { withClient } from '../with-client.ts'

export const HELP = `shelfmark watch <server> [<uri>...] - print a line for each change, until it is stopped

  updated <uri>   its contents changed, or it came, or it is gone
  list            other resources are there
  resync [<uri>]  changes may have been missed, since the connection was lost: look again

Without URIs all that is listed is watched. What the server does not tell of is looked at now and then; a server that
ends is started or connected to again.

${SERVER_HELP}
Options
  --prefix <prefix>    what is listed below this, for example file:///docs/guide/
  --list               only which resources there are
  --count <n>          end after so many changes
  --poll <seconds>     how often to look at what the server does not tell of (default 30)
${SERVER_OPTIONS_HELP}
Examples
  shelfmark watch ./docs
  shelfmark watch @github repo://readme --count 1 && make
  shelfmark watch https://example.com/mcp --prefix log:// --json

Exit codes: 0 done, 1 the operation failed, 2 wrong usage, 130 stopped by Ctrl+C.
`

export const OPTIONS = {
  ...SERVER_OPTIONS,
  prefix: { type: 'string' },
  list: { type: 'boolean' },
  count: { type: 'string' },
  poll: { type: 'string' },
} as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, ...uris] = positionals
  if (server === undefined) throw new UsageError('watch needs a server, for example: shelfmark watch ./docs')
  const ways = [uris.length > 0, values.prefix !== undefined, values.list === true].filter(Boolean).length
  if (ways > 1) throw new UsageError('watch takes URIs, --prefix or --list, and one of them alone')
  let left = values.count === undefined ? Infinity : parseCount(values.count, 'count', 'changes')
  const pollMs = values.poll === undefined ? undefined : parseSeconds(values.poll, 'poll')
  await withClient(
    server,
    values,
    async (client, signal) => {
      const watch = begin(client, uris, values)
      const stop = (): void => watch.close()
      signal.addEventListener('abort', stop, { once: true })
      await watch.ready
      if (values.json !== true && process.stderr.isTTY) {
        process.stderr.write(`watching ${client.subscriptions().length} ... (stop with Ctrl+C)\n`)
      }
      for await (const event of watch) {
        await (values.json === true
          ? writeJson({ ...event, time: new Date().toISOString() }, values)
          : writeLine(lineOf(wordsOf(event), values)))
        if (--left === 0) return
      }
    },
    pollMs === undefined ? {} : { pollMs },
  )
}

function begin(
  client: Client,
  uris: readonly string[],
  { prefix, list }: { readonly prefix?: string; readonly list?: boolean },
): Watch {
  if (list === true) return client.watch('list')
  return uris.length > 0 ? client.watch(uris) : client.watch({ prefix: prefix ?? '' })
}

function wordsOf(event: WatchEvent): string {
  return event.kind !== 'list' && event.uri !== undefined ? `${event.kind} ${event.uri}` : event.kind
}
