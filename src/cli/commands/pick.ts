import type { Choice, Chooser, Selection } from '../../host/index.ts'
import {
  itemsOfSelection,
  openAiChooser,
  openSearch,
  openTokenCounter,
  renderAiSdk,
  renderAnthropic,
  renderJson,
  renderMarkdown,
  renderOpenAi,
  renderXml,
  select,
} from '../../host/index.ts'
import { ShelfError } from '../../errors.ts'
import { localCall } from '../../library/index.ts'
import type { Call, Provider } from '../../library/index.ts'
import { note, print, UsageError } from '../output.ts'
import { openServers } from '../open-servers.ts'
import { Progress } from '../progress.ts'
import { parse, parseCount, parseSecret, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { lineOf, textOf, write } from '../standard-output.ts'
import { untilDone } from '../until-done.ts'

export const HELP = `shelfmark pick <server>... "<question>" - the resources that answer a question, as context for a model

The last argument is the question. What is chosen is printed in a form that a model takes, within a budget of
tokens: whole resources, or of long ones the passages that answer, and for anthropic, openai and ai-sdk also
pictures, for 1,600 tokens each. Nothing is asked of a model unless --model names one.

${SERVER_HELP}
Options
  --budget <tokens>    what is printed may take; in JSON the members resources and sources (default 8000)
  --format <format>    markdown, xml, json, anthropic, openai or ai-sdk (default markdown)
  --pin <uri>          take this resource first, whatever it is about; may be given more than once
  --explain            say of each resource why it was chosen or not: on standard error, or in the JSON
  --model <url>        have a model choose, behind OpenAI's chat completions, as http://127.0.0.1:11434/v1
  --model-name <name>  which model (default: default)
  --model-key <key>    sent to it as a bearer token; env:NAME takes it from the environment, where nobody sees it
${SERVER_OPTIONS_HELP}
Examples
  shelfmark pick ./docs "How is it installed?"
  shelfmark pick @github ./notes "Which ports are open?" --budget 2000 --format xml
  shelfmark pick ./docs "Who may read?" --explain >context.md

Exit codes: 0 something was chosen, 1 nothing was or the operation failed, 2 wrong usage.
`

export const OPTIONS = {
  ...SERVER_OPTIONS,
  budget: { type: 'string' },
  format: { type: 'string' },
  pin: { type: 'string', multiple: true },
  explain: { type: 'boolean' },
  model: { type: 'string' },
  'model-name': { type: 'string' },
  'model-key': { type: 'string' },
} as const

type Values = ReturnType<typeof parse<typeof OPTIONS>>['values']

const FORMATS = ['markdown', 'xml', 'json', 'anthropic', 'openai', 'ai-sdk'] as const
type Format = (typeof FORMATS)[number]

/** About what the models behind these take for a picture of the size that they scale it to. */
const PICTURES = { image: 1_600 }
const MEDIA: Readonly<Partial<Record<Format, typeof PICTURES>>> = { anthropic: PICTURES, openai: PICTURES, 'ai-sdk': PICTURES }

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const question = positionals.at(-1)
  const servers = positionals.slice(0, -1)
  if (question === undefined || servers.length === 0 || question.trim() === '') {
    throw new UsageError('pick needs a server and a question, for example: shelfmark pick ./docs "How is it installed?"')
  }
  const format = formatOf(values)
  const budget = parseCount(values.budget ?? '8000', 'budget', 'tokens')
  const chooser = chooserOf(values)
  const provider = openServers(servers, values)
  const wanted = { values, format, budget, ...(chooser !== undefined && { chooser }) }
  await untilDone(
    async (signal) => show(await pick(provider, localCall({ signal }), question, wanted), format, values),
    async () => provider[Symbol.asyncDispose]?.(),
  )
}

function formatOf({ format = 'markdown', json }: Values): Format {
  if (json === true) return 'json'
  const known = FORMATS.find((one) => one === format)
  if (known === undefined) throw new UsageError(`--format takes one of ${FORMATS.join(', ')}, got ${JSON.stringify(format)}`)
  return known
}

async function pick(
  provider: Provider,
  call: Call,
  question: string,
  {
    values,
    format,
    ...wanted
  }: { readonly values: Values; readonly format: Format; readonly budget: number; readonly chooser?: Chooser },
): Promise<Selection> {
  const progress = new Progress()
  const search = await openSearch(provider, call, {
    onProgress: ({ resources, contents }) => progress.tell(`${resources} listed, ${contents} read ...`),
  })
  try {
    await search.ready
    return await select(provider, call, question, {
      ...wanted,
      search,
      counter: await openTokenCounter(),
      render: (chosen) => renderedIn(format, chosen),
      media: MEDIA[format] ?? {},
      pins: values.pin ?? [],
    })
  } finally {
    progress.end()
    await search[Symbol.asyncDispose]()
  }
}

/** Before any server is opened: what was typed wrongly is said at once. */
function chooserOf({ model: url, 'model-name': name, 'model-key': key }: Values): Chooser | undefined {
  if (url === undefined) {
    if (name === undefined && key === undefined) return undefined
    throw new UsageError('--model-name and --model-key are for --model, which says where the model is')
  }
  const apiKey = parseSecret(key, 'model-key')
  try {
    return openAiChooser({ url, model: name ?? 'default', ...(apiKey !== undefined && { apiKey }) })
  } catch (error) {
    throw ShelfError.is(error, 'invalid-option') ? new UsageError(`--model: ${error.message}`) : error
  }
}

async function show(selection: Selection, format: Format, values: Values): Promise<void> {
  const { chosen, failure } = selection
  if (failure !== undefined) note(failure)
  if (values.explain === true && format !== 'json') explain(selection)
  if (chosen.length === 0) {
    process.exitCode = 1
    if (format === 'markdown' || format === 'xml') {
      note('nothing answers that question; other words may, and `shelfmark ls` shows what there is')
      return
    }
  }
  await write(printed(selection, format, values))
}

/** What goes to the model. */
function renderedIn(format: Format, chosen: readonly Choice[]): unknown {
  const items = itemsOfSelection({ chosen })
  switch (format) {
    case 'markdown':
      return renderMarkdown(items).output
    case 'xml':
      return renderXml(items).output
    case 'anthropic':
      return renderAnthropic(items).output
    case 'openai':
      return renderOpenAi(items).output
    case 'ai-sdk':
      return renderAiSdk(items).output
    case 'json': {
      const { output, sources } = renderJson(items)
      return { ...output, sources }
    }
  }
}

function printed(selection: Selection, format: Format, values: Values): string {
  const output = renderedIn(format, selection.chosen)
  if (typeof output === 'string') return textOf(output, values)
  if (format !== 'json') return `${lineOf(JSON.stringify(output), values)}\n`
  const { question, budget, tokens, by } = selection
  const explanation = values.explain === true ? { explanation: reasonsOf(selection) } : {}
  return `${lineOf(JSON.stringify({ question, budget, tokens, by, ...(output as object), ...explanation }), values)}\n`
}

function reasonsOf({ chosen, rejected }: Selection) {
  return {
    chosen: chosen.map(({ resource, score, tokens, reason }) => ({ uri: resource.uri, score, tokens, reason })),
    rejected: rejected.map(({ resource, reason }) => ({ uri: resource.uri, reason })),
  }
}

/** A line for each that was looked at. */
function explain(selection: Selection): void {
  const { chosen, rejected } = reasonsOf(selection)
  const lines = [
    ...chosen.map(({ uri, tokens, reason }) => `+ ${uri} (${tokens} tokens): ${reason}`),
    ...rejected.map(({ uri, reason }) => `- ${uri}: ${reason}`),
    `${selection.tokens} of ${selection.budget} tokens, chosen by ${selection.by}`,
  ]
  for (const line of lines) process.stderr.write(`${lineOf(line, { raw: !process.stderr.isTTY })}\n`)
}
