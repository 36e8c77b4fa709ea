import { closest } from './closest.ts'
import { HELP } from './help.ts'
import { fail, print, UsageError } from './output.ts'
import { VERSION } from './version.ts'

/** Commands by name, each loaded only when it is called. */
const COMMANDS: { readonly [name: string]: () => Promise<{ run(args: readonly string[]): Promise<void> }> } = {
  serve: () => import('./commands/serve.ts'),
  ls: () => import('./commands/ls.ts'),
  tree: () => import('./commands/tree.ts'),
  read: () => import('./commands/read.ts'),
  stat: () => import('./commands/stat.ts'),
  find: () => import('./commands/find.ts'),
  complete: () => import('./commands/complete.ts'),
  watch: () => import('./commands/watch.ts'),
  pick: () => import('./commands/pick.ts'),
  token: () => import('./commands/token.ts'),
  check: () => import('./commands/check.ts'),
}

async function main(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args
  if (name === undefined) {
    process.stderr.write(HELP)
    process.exitCode = 2
    return
  }
  if (name === '--help' || name === '-h') return print(HELP)
  if (name === 'help') return rest[0] === undefined ? print(HELP) : runCommand(rest[0], ['--help'])
  if (name === '--version' || name === '-v') {
    print(`${VERSION}\n`)
    return
  }
  await runCommand(name, rest)
}

async function runCommand(name: string, args: readonly string[]): Promise<void> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    const commands = Object.keys(COMMANDS)
    const meant = closest(name, commands)
    const advice = meant === undefined ? `the commands are ${commands.join(', ')}` : `did you mean ${meant}?`
    throw new UsageError(`There is no command ${JSON.stringify(name)}: ${advice}`)
  }
  const command = await load()
  await command.run(args).catch((error: unknown) => {
    if (error instanceof UsageError) error.command = name
    throw error
  })
}

// What nobody reads does not change what becomes of the command.
process.stderr.on('error', () => undefined)
main(process.argv.slice(2)).catch(fail)
