import type { Resource, ResourceTemplate } from '../../protocol/index.ts'
import { print, UsageError } from '../output.ts'
import { writeJson, writeLine } from '../standard-output.ts'
import { Progress } from '../progress.ts'
import { resourceLine } from '../resource-line.ts'
import { parse, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { withClient } from '../with-client.ts'

export const HELP = `shelfmark find <server> <word>... - find resources and templates by what is said of them

Those whose name, title, description and URI hold all the words, in any case and any order.

${SERVER_HELP}
Options
${SERVER_OPTIONS_HELP}
Examples
  shelfmark find ./docs install linux
  shelfmark find @github readme --json

Exit codes: 0 found, 1 nothing found or the operation failed, 2 wrong usage.
`

export const OPTIONS = SERVER_OPTIONS

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, ...words] = positionals
  if (server === undefined || words.length === 0) {
    throw new UsageError('find needs a server and words, for example: shelfmark find ./docs install')
  }
  const wanted = words.map(folded)
  await withClient(server, values, async (client, signal) => {
    const progress = new Progress()
    let looked = 0
    let found = 0
    for (const items of [client.list({ signal }), client.templates({ signal })]) {
      for await (const item of items) {
        progress.tell(`${++looked} looked at, ${found} found ...`)
        const text = folded(wordsOf(item))
        if (!wanted.every((word) => text.includes(word))) continue
        found++
        await (values.json === true ? writeJson(item, values) : writeLine(resourceLine(item, values)))
      }
    }
    progress.end()
    if (found === 0) process.exitCode = 1
  })
}

/** Everything of an item that a person could look for; a URI also as it reads without its escapes. */
function wordsOf(item: Resource | ResourceTemplate): string {
  const id = 'uri' in item ? item.uri : item.uriTemplate
  return [item.name, item.title, item.description, id, decoded(id)].filter((text) => text !== undefined).join('\n')
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

/** In no case, and composed in one way: two spellings of one word are one. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
