import type { ClientStat } from '../../client/index.ts'
import { print, UsageError } from '../output.ts'
import { lineOf, writeJson, writeLine } from '../standard-output.ts'
import type { PrintOptions } from '../standard-output.ts'
import { sizeText } from '../resource-line.ts'
import { parse, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { uriHint } from '../template-values.ts'
import { withClient } from '../with-client.ts'

export const HELP = `shelfmark stat <server> <uri>... - what a resource is, without its contents where the server can say that

${SERVER_HELP}
Options
${SERVER_OPTIONS_HELP}
Examples
  shelfmark stat ./docs file:///docs/guide.md
  shelfmark stat @github repo://readme --json

Exit codes: 0 done, 1 not found or the operation failed, 2 wrong usage.
`

export const OPTIONS = SERVER_OPTIONS

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, ...uris] = positionals
  if (server === undefined || uris.length === 0) {
    throw new UsageError('stat needs a server and a URI, for example: shelfmark stat ./docs file:///docs/guide.md')
  }
  await withClient(server, values, async (client, signal) => {
    for (const [index, uri] of uris.entries()) {
      const { by, ...known } = await client.stat(uri, { signal }).catch((error: unknown) => {
        throw uriHint(uri, error)
      })
      if (values.json === true) await writeJson({ ...known, by }, values)
      else await writeLine(`${index > 0 ? '\n' : ''}${described({ ...known, by }, values).join('\n')}`)
    }
  })
}

const HOW = { stat: 'the server said so', list: 'its list says so', read: 'seen by reading it' } as const

function described({ resource, version, hint, by }: ClientStat, options: PrintOptions): readonly string[] {
  const { uri, name, title, description, mimeType, size, annotations } = resource
  const rows: readonly (readonly [label: string, value: string | undefined])[] = [
    ['uri', uri],
    ['name', name],
    ['title', title],
    ['description', description],
    ['type', mimeType],
    ['size', size === undefined ? undefined : `${sizeText(size)}${size < 1_024 ? '' : ` (${size} bytes)`}`],
    ['modified', annotations?.lastModified],
    ['audience', annotations?.audience?.join(', ')],
    ['priority', annotations?.priority?.toString()],
    ['version', version],
    ['kept', hint.ttlMs > 0 ? `${hint.ttlMs / 1_000} s, ${hint.cacheScope}` : undefined],
    ['known by', HOW[by]],
  ]
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [`${label.padEnd(12)}${lineOf(value, options)}`]))
}
