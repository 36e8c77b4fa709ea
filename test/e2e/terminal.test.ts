import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, run } from './command-line.ts'

/** What is loaded first makes its standard streams pass for a terminal's. */
const TERMINAL = 'data:text/javascript,for (const name of ["stdin", "stdout", "stderr"]) process[name].isTTY = true'

const onTerminal = (args: readonly string[], options?: Parameters<typeof run>[1]) =>
  run(['--import', TERMINAL, CLI, ...args], options)

/** Writes to its standard error what would change the title and colours of a terminal, and the direction of text. */
const PAINTER = `${process.execPath} -e 'process.stderr.write("a\\tb\\n\\u001b]0;x\\u0007\\u202e\\u061c\\n"); setTimeout(process.exit, 100)'`

describe('`shelfmark` on a terminal', () => {
  it('shows what a server writes on standard error with --verbose, and does not let it act', async () => {
    const { stderr } = await onTerminal(['ls', PAINTER, '--verbose']).ended
    expect(stderr.split('\n').slice(0, 2)).toEqual(['a\tb', '\\u001b]0;x\\u0007\\u202e\\u061c'])
  })

  it('gives it as it is with --raw', async () => {
    const { stderr } = await onTerminal(['ls', PAINTER, '--verbose', '--raw']).ended
    expect(stderr.split('\n').slice(0, 2)).toEqual(['a\tb', '\u001b]0;x\u0007\u202e\u061c'])
  })
})

describe('The question before a server of a project is started', () => {
  it.each([
    ['is left with Ctrl+C: exit code 130', '\u0003', 130, /\[y\/N\] \S*\r\n$/],
    [
      'is left by the end of its input: that is no',
      undefined,
      1,
      /\nshelfmark: Server "s" of .* was not agreed to, and is not opened\n$/,
    ],
    ['is answered with n', 'n\r', 1, /\nshelfmark: Server "s" of .* was not agreed to, and is not opened\n$/],
  ])('%s', async (_what, typed, code, said) => {
    const home = folderOfTest()
    const cwd = join(home, 'project')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.mcp.json'), '{"mcpServers":{"s":{"command":"no-such-program"}}}')
    const ls = onTerminal(['ls', '@s'], { cwd, env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home } })
    await ls.until(({ stderr }) => (stderr.includes('[y/N]') ? true : undefined))
    if (typed === undefined) ls.child.stdin.end()
    else ls.child.stdin.write(typed)
    const ended = await ls.ended
    expect([ended.code, ended.signal, ended.stdout]).toEqual([code, null, ''])
    expect(ended.stderr).toMatch(said)
  })

  it('is asked for one server at a time, of many of a gateway', async () => {
    const home = folderOfTest()
    const cwd = join(home, 'project')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.mcp.json'), '{"mcpServers":{"a":{"command":"no-such-program"},"b":{"command":"no-such-program"}}}')
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home }
    const gateway = onTerminal(['serve', 'mcp:@a', 'mcp:@b', '--http', '0'], { cwd, env })
    const ls = run([CLI, 'ls', await endpoint(gateway)])
    const questions = (): number => gateway.stderr.split('[y/N]').length - 1
    await gateway.until(() => (questions() === 1 ? true : undefined))
    gateway.child.stdin.write('y\r')
    await gateway.until(() => (questions() === 2 ? true : undefined))
    gateway.child.stdin.write('n\r')
    // Which of them is asked about first is not said.
    const { stderr: said } = await ls.ended
    expect(said.split('\n').toSorted()).toEqual([
      '',
      ...['a', 'b'].map((name) => `shelfmark: note: ${name}: Left out: it failed`),
    ])
    const { stderr } = gateway
    const agreed = / (\w): Left out: could not be started/.exec(stderr)?.[1]
    const other = agreed === 'a' ? 'b' : 'a'
    expect(stderr).toMatch(new RegExp(` ${other}: Left out: Server "${other}" of .* was not agreed to`))
    const trusted = readFileSync(join(home, 'shelfmark', 'trust.json'), 'utf8')
    expect([...trusted.matchAll(/"name": "(\w)"/g)].map(([, name]) => name)).toEqual([agreed])
  })
})
