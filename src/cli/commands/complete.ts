import { print, UsageError } from '../output.ts'
import { lineOf, writeJson, writeLine } from '../standard-output.ts'
import { parse, SERVER_HELP, SERVER_OPTIONS, SERVER_OPTIONS_HELP } from '../server-options.ts'
import { parseValues, variablesOf } from '../template-values.ts'
import { withClient } from '../with-client.ts'

export const HELP = `shelfmark complete <server> <template> <variable> [<typed>] - values for a variable of a URI template

One value a line. Values that are already chosen for other variables narrow them down.

${SERVER_HELP}
Options
  --var <name=value>   a value of another variable; may be given more than once
${SERVER_OPTIONS_HELP}
Examples
  shelfmark complete ./docs 'file:///docs/{+path}' path guide
  shelfmark complete @db 'db://{table}/{column}' column --var table=books

Exit codes: 0 done, 1 no values or the operation failed, 2 wrong usage.
`

export const OPTIONS = { ...SERVER_OPTIONS, var: { type: 'string', multiple: true } } as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [server, template, variable, typed = '', extra] = positionals
  if (server === undefined || template === undefined || variable === undefined || extra !== undefined) {
    throw new UsageError(
      "complete needs a server, a template and a variable, for example: shelfmark complete ./docs 'file:///docs/{+path}' path",
    )
  }
  const earlier = parseValues(values.var ?? [])
  const names = variablesOf(template)
  if (names !== undefined && !names.includes(variable)) {
    throw new UsageError(`The template ${template} has no variable ${variable}; it has ${names.join(', ')}`)
  }
  await withClient(server, values, async (client, signal) => {
    const completion = await client.complete(template, variable, typed, { arguments: earlier, signal })
    if (values.json === true) await writeJson(completion, values)
    else for (const value of completion.values) await writeLine(lineOf(value, values))
    if (completion.values.length === 0) process.exitCode = 1
  })
}
