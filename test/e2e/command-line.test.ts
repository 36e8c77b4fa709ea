import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLI, endpoint, folderOfTest, run } from './command-line.ts'

const shelfmark = (...args: readonly string[]) => run([CLI, ...args]).ended

/** A port that somebody listens on. */
async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('`shelfmark help`', () => {
  it('says of a command what its --help says', async () => {
    const [help, about] = [await shelfmark('help', 'ls'), await shelfmark('ls', '--help')]
    expect(help).toEqual(about)
    expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shelfmark ls <server>/) })
    expect((await shelfmark('help')).stdout).toBe((await shelfmark('--help')).stdout)
  })
})

describe('`shelfmark` with wrong usage', () => {
  it.each([
    ['a mistyped command', ['sreve'], 'There is no command "sreve": did you mean serve?'],
    [
      'an unknown command',
      ['frobnicate'],
      'There is no command "frobnicate": the commands are serve, ls, tree, read, stat, find, complete, watch, pick, token, check',
    ],
    ['no source', ['serve'], 'serve needs a source, for example: shelfmark serve ./docs'],
    ['an empty source', ['serve', 'docs='], 'The source "docs=" names no folder'],
    [
      'a port that is none',
      ['serve', '.', '--http', 'x'],
      '--http takes [host:]port, for example 7467 or 127.0.0.1:7467, got "x"',
    ],
    [
      'a port too high',
      ['serve', '.', '--http', '70000'],
      '--http takes [host:]port, for example 7467 or 127.0.0.1:7467, got "70000"',
    ],
    [
      'a limit that is none',
      ['serve', '.', '--max-read', '5M'],
      '--max-read takes a size such as 10MiB, or a number of bytes, got "5M"',
    ],
    [
      'a kind of source that there is none of',
      ['serve', 'git:./repo'],
      '"git:" is no kind of source: a source is a folder, for example ./docs, or mcp: and a server; write ./git:./repo for a folder of that name',
    ],
    ['a name without letters', ['serve', '.', '--name', '42'], '--name needs at least one letter, got "42"'],
  ])('%s exits with 2 and one line that says what to do', async (_what, args, message) => {
    expect(await shelfmark(...args)).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `shelfmark: ${message} (see shelfmark ${args[0] === 'serve' ? 'serve ' : ''}--help)\n`,
    })
  })

  it('an unknown option exits with 2, naming it', async () => {
    const { code, stdout, stderr } = await shelfmark('serve', '.', '--prot', '7467')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe("shelfmark: Unknown option '--prot' (see shelfmark serve --help)\n")
  })

  it.each([
    [['read', '.', 'x:1', '--range', '-5'], "Option '--range' argument is ambiguous"],
    [['serve', '.', '--http', '-5'], "Option '--http' argument is ambiguous"],
    [['ls', '.', '--timeout', '2147484'], '--timeout takes a number of seconds, at most 2147483, got "2147484"'],
    [['watch', '.', '--poll', '99999999999'], '--poll takes a number of seconds, at most 2147483, got "99999999999"'],
    [['serve', 'mcp:./src'], './src is a folder, and no server: give it without mcp:'],
    [['serve', 'mcp:./no/such'], 'There is no ./no/such: give a folder that is there, a URL, @name or a command in quotes'],
    [
      ['ls', 'localhost:7467/mcp'],
      'There is no command "localhost:7467/mcp"; if it is a URL, give it as http://localhost:7467/mcp',
    ],
    [['complete', '.', 'a:{x}{?y}', 'z'], 'The template a:{x}{?y} has no variable z; it has x, y'],
    [['ls', "node 'x"], 'The command has a single quote without its partner at offset 5'],
    [['ls', '@'], '@ is followed by no name: @github, for a server "github" of an mcp.json'],
  ])('%j exits with 2 and one line', async (args, message) => {
    const { code, stdout, stderr } = await shelfmark(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(`shelfmark: ${message} (see shelfmark ${args[0]} --help)\n`)
  })

  it('two sources of one name exit with 2, saying how to name one of them', async () => {
    const [first, second] = [folderOfTest(), folderOfTest()]
    expect(await shelfmark('serve', `docs=${first}`, `docs=${second}`)).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `shelfmark: Two sources have the same name, the second is "docs=${second}": give it another, for example other=${second} (see shelfmark serve --help)\n`,
    })
  })

  it('no arguments at all exits with 2 and shows the help on standard error', async () => {
    const { code, stdout, stderr } = await shelfmark()
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe((await shelfmark('--help')).stdout)
  })
})

describe('`shelfmark serve` that cannot do its work', () => {
  it.each([
    ['stdio', []],
    ['HTTP', ['--http', '0']],
  ])('of a folder that is missing, on %s, exits with 1 and one line', async (_transport, options) => {
    const missing = join(folderOfTest(), 'missing')
    expect(await shelfmark('serve', missing, ...options)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `shelfmark: Wanted a folder to serve, but ${missing} cannot be reached; check the path and its permissions\n`,
    })
  })

  it('of a file exits with 1 and names the folder as the remedy', async () => {
    const file = join(folderOfTest(), 'a.md')
    writeFileSync(file, 'a')
    expect(await shelfmark('serve', file)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `shelfmark: Wanted a folder to serve, but ${file} is not one; name the folder that holds it\n`,
    })
  })

  it('on a port that is taken exits with 1 and one line', async () => {
    const port = await takenPort()
    expect(await shelfmark('serve', folderOfTest(), '--http', String(port))).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `shelfmark: Port ${port} on 127.0.0.1 is taken: choose another one\n`,
    })
  })

  it('on an address that others can reach exits with 1 before it listens', async () => {
    const { code, stderr } = await shelfmark('serve', folderOfTest(), '--http', '0.0.0.0:0')
    expect(code).toBe(1)
    expect(stderr).toBe(
      'shelfmark: host "0.0.0.0" can be reached by others, who could read everything: give them tokens (authenticate, --tokens, --jwt-issuer), or listen on 127.0.0.1\n',
    )
  })

  it('shows a name with control characters on one line, escaped', async () => {
    const { code, stderr } = await shelfmark('serve', '/missing/\u001b[2J\nfolder')
    expect(code).toBe(1)
    expect(stderr).toBe(
      'shelfmark: Wanted a folder to serve, but /missing/\\u001b[2J\\u000afolder cannot be reached; check the path and its permissions\n',
    )
  })
})

describe('`shelfmark serve`', () => {
  it('says what it serves, under which URIs, and where', async () => {
    const folder = folderOfTest()
    writeFileSync(join(folder, 'a.md'), 'a')
    const server = run([CLI, 'serve', `docs=${folder}`, '--http', '0'])
    const url = await endpoint(server)
    expect(server.stderr.replace(/^shelfmark \S+ /, '')).toBe(`serves docs=${folder} as file:///docs\n${url}\n`)
  })

  it('says so when nothing of a folder is served', async () => {
    const folder = folderOfTest()
    writeFileSync(join(folder, '.hidden'), 'a')
    const server = run([CLI, 'serve', `docs=${folder}`])
    const said = await server.until(({ stderr }) => /.*\n/.exec(stderr)?.[0])
    expect(said).toBe(
      `shelfmark: nothing in docs=${folder} is served now: hidden files, what .gitignore leaves out, and secrets are not (see --hidden, --no-ignore)\n`,
    )
  })
})

describe('`shelfmark`', () => {
  it.each([['--version'], ['-v']])('%s prints the version of the package', async (option) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
    expect(await shelfmark(option)).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' })
  })

  it.each([[['--help']], [['-h']], [['help']]])('%j prints what it does', async (args) => {
    const { code, stdout, stderr } = await shelfmark(...args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^shelfmark - /)
    expect(stdout).toContain('shelfmark serve <source>...')
  })

  it.each([['--help'], ['-h']])('serve %s names every option and the exit codes', async (option) => {
    const { code, stdout, stderr } = await shelfmark('serve', option)
    expect([code, stderr]).toEqual([0, ''])
    for (const word of [
      '--http',
      '--name',
      '--hidden',
      '--no-ignore',
      '--max-read',
      '--help',
      'Exit codes: 0 done, 1 ',
      '2 wrong usage',
    ])
      expect(stdout).toContain(word)
  })

  it('serve --http prints its endpoint on standard error, and ignores standard input', async () => {
    const program = run([CLI, 'serve', folderOfTest(), '--http', '0'])
    program.child.stdin.end()
    expect(await endpoint(program)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    expect(program.stdout).toBe('')
    program.child.kill('SIGTERM')
    expect(await program.ended).toMatchObject({ code: 0, signal: null })
  })
})
