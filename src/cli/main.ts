import { HELP } from './help.ts'
import { fail, UsageError } from './output.ts'
import { VERSION } from './version.ts'

/** Commands by name, each loaded only when it is called. */
const COMMANDS: { readonly [name: string]: () => Promise<{ run(args: readonly string[]): Promise<void> }> } = {
  serve: () => import('./commands/serve.ts'),
}

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args
  if (name === undefined) {
    process.stderr.write(HELP)
    process.exitCode = 2
    return
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP)
    return
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${VERSION}\n`)
    return
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined)
    throw new UsageError(`There is no command ${JSON.stringify(name)}: the commands are ${Object.keys(COMMANDS).join(', ')}`)
  const command = await load()
  await command.run(rest)
}

main(process.argv.slice(2)).catch(fail)
