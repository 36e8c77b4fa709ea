import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { createToken, formatToken, isTokenName } from '../../transports/http/index.ts'
import { print, UsageError } from '../output.ts'
import { parse } from '../server-options.ts'

export const HELP = `shelfmark token <name> - make a bearer token for \`shelfmark serve --http --tokens <file>\`

Prints the token once, on standard output; nothing keeps it. The file gets a line with its hash, from which nobody can
make the token: the name, the hash, and the scopes. To withdraw a token take its line out; that takes a second.

Options
  --file <file>        append the line to this file, which is made if it is not there; without it the line
                       is printed on standard error
  --scope <scope>      what the token is good for, as rules name it; may be given more than once
  -h, --help           this text

Examples
  shelfmark token alice --file tokens.txt
  shelfmark token ci --scope read --file tokens.txt > ci-token.txt

Exit codes: 0 done, 1 the operation failed, 2 wrong usage.
`

export const OPTIONS = {
  file: { type: 'string' },
  scope: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, OPTIONS)
  if (values.help === true) return print(HELP)
  const [name, extra] = positionals
  if (name === undefined || extra !== undefined) throw new UsageError('token needs one name, for example: shelfmark token alice')
  if (!isTokenName(name))
    throw new UsageError(
      `A name has letters, digits and . _ @ - and begins with one of the first two, got ${JSON.stringify(name)}`,
    )
  const scopes = values.scope ?? []
  const odd = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
  if (odd !== undefined)
    throw new UsageError(`${JSON.stringify(odd)} is no scope: it has a blank, a quote or another character that none may have`)
  const { token, kept } = createToken(name, scopes)
  const line = `${formatToken(kept)}\n`
  if (values.file === undefined) process.stderr.write(line)
  else append(values.file, line)
  print(`${token}\n`)
}

/** On a line of its own, whatever the last one ends with; nobody but the user may read a file that is made here. */
function append(path: string, line: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
  try {
    writeSync(file, fstatSync(file).size > 0 ? `\n${line}` : line)
  } finally {
    closeSync(file)
  }
}
