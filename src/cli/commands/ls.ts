import { print, UsageError } from '../output.ts'
import { writeJson, writeLine } from '../standard-output.ts'
import { Progress } from '../progress.ts'
import { resourceLine } from '../resource-line.ts'
import { parse, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { withClient } from '../with-client.ts'

export const HELP = `shelfmark ls <server> - list every resource of a server

All pages, each URI once: for a pipe one URI a line, for a person with type, size and title.

${SERVER_HELP}
Options
  --templates          list URI templates instead
${SERVER_OPTIONS_HELP}
Examples
  shelfmark ls ./docs
  shelfmark ls https://example.com/mcp --json | jq -r .name
  shelfmark ls "npx -y @modelcontextprotocol/server-everything" --templates

Exit codes: 0 done, 1 the operation failed, 2 wrong usage.
`

export const OPTIONS = { ...SERVER_OPTIONS, templates: { type: 'boolean' } } as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, extra] = positionals
  if (server === undefined) throw new UsageError('ls needs a server, for example: shelfmark ls ./docs')
  if (extra !== undefined)
    throw new UsageError(`ls takes one server, and ${JSON.stringify(extra)} is one more: put a command in quotes`)
  await withClient(server, values, async (client, signal) => {
    const progress = new Progress()
    let count = 0
    const items = values.templates === true ? client.templates({ signal }) : client.list({ signal })
    for await (const item of items) {
      await (values.json === true ? writeJson(item, values) : writeLine(resourceLine(item, values)))
      progress.tell(`${++count} listed ...`)
    }
    progress.end()
  })
}
