import type { Client } from '../../client/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { print, UsageError } from '../output.ts'
import { Progress } from '../progress.ts'
import { grey, sizeText } from '../resource-line.ts'
import { parse, parseCount, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import type { PrintOptions } from '../standard-output.ts'
import { lineOf, writeJson, writeLine } from '../standard-output.ts'
import type { TreeNode } from '../tree-of.ts'
import { linesOf, TreeOf } from '../tree-of.ts'
import { withClient } from '../with-client.ts'

export const HELP = `shelfmark tree <server> [<uri>] - show what a server lists as a tree, by the paths of its URIs

With a URI only what lies below it.

${SERVER_HELP}
Options
  --depth <n>          so many levels; what lies deeper is counted
${SERVER_OPTIONS_HELP}
Examples
  shelfmark tree ./docs
  shelfmark tree @files file:///srv/manuals --depth 2

Exit codes: 0 done, 1 nothing there or the operation failed, 2 wrong usage.
`

export const OPTIONS = { ...SERVER_OPTIONS, depth: { type: 'string' } } as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, under, extra] = positionals
  if (server === undefined) throw new UsageError('tree needs a server, for example: shelfmark tree ./docs')
  if (extra !== undefined) throw new UsageError(`tree takes one server and one URI, and ${JSON.stringify(extra)} is one more`)
  const depth = values.depth === undefined ? Infinity : parseCount(values.depth, 'depth', 'levels')
  await withClient(server, values, async (client, signal) => {
    const tree = await gather(client, under, signal)
    if (tree.isEmpty) process.exitCode = 1
    for (const line of linesOf(tree.roots(), depth)) await writeNode(line, values)
  })
}

async function gather(client: Client, under: string | undefined, signal: AbortSignal): Promise<TreeOf> {
  const tree = new TreeOf()
  const progress = new Progress()
  let count = 0
  for await (const resource of client.list({ signal })) {
    progress.tell(`${++count} listed ...`)
    if (under === undefined || isBelow(resource, under)) tree.add(resource)
  }
  progress.end()
  return tree
}

function isBelow({ uri }: Resource, under: string): boolean {
  return uri === under || uri.startsWith(/[/:]$/.test(under) ? under : `${under}/`)
}

async function writeNode(
  { node, indent }: { readonly node: TreeNode; readonly indent: string },
  options: PrintOptions,
): Promise<void> {
  const { resource, below } = node
  if (options.json === true) {
    const { depth, label, uri } = node
    return writeJson({ ...(resource ?? { uri, name: label }), depth, ...(below > 0 && { below }) }, options)
  }
  const size = resource?.size === undefined ? '' : `  ${grey(sizeText(resource.size))}`
  const count = node.cut ? `  ${grey(`${below} below`)}` : ''
  await writeLine(`${indent}${lineOf(node.label, options)}${size}${count}`)
}
