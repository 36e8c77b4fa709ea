import type { Era } from '../../protocol/index.ts'
import { connectTo, isHttpServer, loginHeaders } from '../open-target.ts'
import { print, UsageError } from '../output.ts'
import { Progress } from '../progress.ts'
import { parse, parseCount, parseSeconds, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { catchSignals } from '../signals.ts'
import { lineOf } from '../standard-output.ts'

export const HELP = `shelfmark check <server> - what a server does wrong, by the specification

Asks a server what hosts ask, and reports what its answers break: each finding with the section of the
specification, what was seen, and what to do. It reads only: no tool is called, nothing is changed, and
what it subscribes to it ends. It judges by the revision of the protocol that is spoken with the server.

${SERVER_HELP}
Options
  --sample <n>         how many listed resources are read, spread over the list (default 50)
  --all                read all of them
  --deadline <seconds> how long the whole check may take (default 60); what was not looked at is said
  --era <era>          speak modern or legacy with a server that speaks both (default modern)
${SERVER_OPTIONS_HELP.replace('one JSON value a line, for programs   ', 'one JSON object, for programs').replace('(default 30)', '(default 10)')}
Examples
  shelfmark check "node server.js"
  shelfmark check https://example.com/mcp --token env:TOKEN
  shelfmark check @github --json | jq '.findings[] | select(.severity == "error")'

Exit codes: 0 no errors, 1 errors were found or the operation failed, 2 wrong usage.
`

export const OPTIONS = {
  ...SERVER_OPTIONS,
  sample: { type: 'string' },
  all: { type: 'boolean' },
  deadline: { type: 'string' },
  era: { type: 'string' },
} as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, extra] = positionals
  if (server === undefined) throw new UsageError('check needs a server, for example: shelfmark check "node server.js"')
  if (extra !== undefined)
    throw new UsageError(`check takes one server, and ${JSON.stringify(extra)} is one more: put a command in quotes`)
  if (values.all === true && values.sample !== undefined) throw new UsageError('--all and --sample exclude each other')
  const sample = values.all === true ? Infinity : parseCount(values.sample ?? '50', 'sample', 'resources')
  const deadlineMs = parseSeconds(values.deadline ?? '60', 'deadline')
  const timeoutMs = parseSeconds(values.timeout ?? '10', 'timeout')
  const era = values.era === undefined ? undefined : parseEra(values.era)
  const connect = connectTo(server, values)
  const { runChecks } = await import('../check/run-checks.ts')
  const stop = new AbortController()
  const signals = catchSignals(stop)
  const progress = new Progress(process.stderr.isTTY)
  try {
    const result = await runChecks(connect, {
      sample,
      deadlineMs,
      timeoutMs,
      ...(era !== undefined && { era }),
      ...(isHttpServer(server) && { http: { url: server, headers: loginHeaders(values) } }),
      signal: stop.signal,
      onProgress: (text) => progress.tell(text),
    })
    progress.end()
    if (values.json === true) print(`${lineOf(JSON.stringify(result), values)}\n`)
    else {
      const { reportCard } = await import('../check/report-card.ts')
      print(`${reportCard(result, hasColours()).join('\n')}\n`)
    }
    if (result.findings.some(({ severity }) => severity === 'error')) process.exitCode = 1
  } catch (error) {
    progress.end()
    if (!stop.signal.aborted) throw error
  } finally {
    signals.release()
  }
}

function parseEra(text: string): Era {
  if (text === 'modern' || text === 'legacy') return text
  throw new UsageError(`--era takes modern or legacy, got ${JSON.stringify(text)}`)
}

/** Colours are for a terminal whose owner has nothing against them. */
function hasColours(): boolean {
  return process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === ''
}
