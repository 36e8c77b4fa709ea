import type { Client, ClientReading, ReadContents, ReadOptions } from '../../client/index.ts'
import { pickContents } from '../../client/index.ts'
import { note, print, say, UsageError } from '../output.ts'
import { parseRange } from '../parse-range.ts'
import { bytesOf, readInParts } from '../read-in-parts.ts'
import { Progress } from '../progress.ts'
import { sizeText } from '../resource-line.ts'
import { parse, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { isShown, textOf, write, writeJson } from '../standard-output.ts'
import { expandUri, parseValues, uriHint } from '../template-values.ts'
import { withClient } from '../with-client.ts'
import { writeWhole } from '../write-whole.ts'

export const HELP = `shelfmark read <server> <uri>... - print the contents of resources

Text is printed as it is, on a terminal with its control characters made visible; bytes go to a pipe or a file.
What is larger than the server gives at once is read part by part, where the server has ranges.
The URI of a template gets its variables from --var.

${SERVER_HELP}
Options
  -o, --output <file>  write to this file; nothing is written when the read fails
  --range <from-to>    only these bytes, both counted from 0: 0-1023, or 1024- for the rest
  --type <type>        of several contents the one of this type: text/markdown, image/*
  --var <name=value>   a variable of a URI template; may be given more than once
${SERVER_OPTIONS_HELP}
Examples
  shelfmark read ./docs file:///docs/guide.md
  shelfmark read @github 'repo://{owner}/{name}/readme' --var owner=acme --var name=atlas
  shelfmark read https://example.com/mcp film://1 --range 0-65535 -o start.mp4

Exit codes: 0 done, 1 not found or the operation failed, 2 wrong usage.
`

interface Wanted {
  readonly json?: boolean | undefined
  readonly raw?: boolean | undefined
  readonly output?: string | undefined
  readonly range?: string | undefined
  readonly type?: string | undefined
}

export const OPTIONS = {
  ...SERVER_OPTIONS,
  output: { type: 'string', short: 'o' },
  range: { type: 'string' },
  type: { type: 'string' },
  var: { type: 'string', multiple: true },
} as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, ...texts] = positionals
  if (server === undefined || texts.length === 0) {
    throw new UsageError('read needs a server and a URI, for example: shelfmark read ./docs file:///docs/guide.md')
  }
  if (values.output !== undefined && texts.length > 1) throw new UsageError('-o takes one URI: several would be one file')
  const given = parseValues(values.var ?? [])
  const uris = texts.map((text) => expandUri(text, given))
  await withClient(server, values, async (client, signal) => {
    for (const uri of uris) await readOne(client, uri, values, signal)
  })
}

async function readOne(client: Client, uri: string, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const progress = new Progress()
  const range = wanted.range === undefined ? undefined : parseRange(wanted.range)
  const reading = await readIt(client, uri, {
    signal,
    onProgress: (done, total) => progress.tell(total === undefined ? `${done} ...` : `${done} of ${total} ...`),
    ...(range && { range }),
  })
  progress.end()
  for (const { message } of reading.notices) note(message)
  if (reading.stale) note('The server could not be asked; this is what it said before')
  const contents = chosen(uri, reading, wanted.type)
  if (wanted.json === true) {
    const json = asJson(uri, { ...reading, contents })
    if (wanted.output === undefined) return writeJson(json, wanted)
    return writeWhole(wanted.output, `${JSON.stringify(json)}\n`, signal)
  }
  if (wanted.output !== undefined) return writeWhole(wanted.output, Buffer.concat(contents.map(bytesOf)), signal)
  for (const one of contents) await writeOne(one, wanted)
}

async function readIt(
  client: Client,
  uri: string,
  options: ReadOptions & { readonly ifVersion?: undefined },
): Promise<ClientReading> {
  try {
    return await readInParts(client, uri, options)
  } catch (error) {
    throw uriHint(uri, error)
  }
}

function chosen(uri: string, { contents }: ClientReading, type: string | undefined): readonly ReadContents[] {
  if (type === undefined) return contents
  const one = pickContents(contents, [type])
  if (one !== undefined) return [one]
  const types = contents.map(({ mimeType }) => mimeType ?? 'none').join(', ')
  throw new Error(`${uri} has nothing of the type ${type}: there is ${types}`)
}

async function writeOne(one: ReadContents, wanted: Wanted): Promise<void> {
  if (one.text !== undefined) return write(endedLine(textOf(one.text, wanted)))
  if (!isShown(wanted)) return write(one.bytes)
  const text = asText(one)
  if (text !== undefined) return write(endedLine(textOf(text, wanted)))
  const what = `${one.mimeType ?? 'application/octet-stream'}, ${sizeText(one.bytes.length)}`
  say(`${one.uri} is no text (${what}): write it to a file with -o, or to a pipe`)
  process.exitCode = 1
}

/** A shell prompt stands on a line of its own; a pipe gets what there is. */
function endedLine(text: string): string {
  return process.stdout.isTTY && !text.endsWith('\n') ? `${text}\n` : text
}

/** Bytes whose type says that they are text, and that are: part of a text file, for one. */
function asText({ mimeType, bytes }: ReadContents): string | undefined {
  if (bytes === undefined || mimeType?.startsWith('text/') !== true) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** A reading as one JSON value, in the shape of the protocol. */
function asJson(uri: string, { contents, version, range, hint, stale }: ClientReading): object {
  return {
    uri,
    contents: contents.map(({ bytes, ...one }) =>
      bytes === undefined ? one : { ...one, blob: Buffer.from(bytes).toString('base64') },
    ),
    ...(version !== undefined && { version }),
    ...(range && { range }),
    ...hint,
    ...(stale && { stale }),
  }
}
