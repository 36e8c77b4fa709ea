import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLI, endpoint, folderOfTest, Program, run } from './command-line.ts'

const shelfmark = (...args: readonly string[]) => run([CLI, ...args]).ended

/** The value of each line of standard output. */
const json = (stdout: string): readonly Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

function folder(): string {
  const root = folderOfTest()
  mkdirSync(join(root, 'guide'))
  writeFileSync(join(root, 'a b.md'), '# A b\n')
  writeFileSync(join(root, 'guide', 'install.md'), 'install\n')
  writeFileSync(join(root, 'guide', 'three.bin'), Buffer.from([0, 1, 255]))
  return root
}

const changeOf = ({ kind, uri }: Record<string, unknown>): string =>
  typeof uri === 'string' ? `${String(kind)} ${uri}` : String(kind)

let writes = 0

/** Writes something new to a file, and gives what was seen before. */
function write<T>(file: string, seen: () => T): T {
  const before = seen()
  writeFileSync(file, `${++writes}`)
  return before
}

/** A word for `<server>`: a command of this Node, quoted. */
const command = (...words: readonly string[]): string => [process.execPath, ...words].map((word) => `'${word}'`).join(' ')

async function webServer(...args: readonly string[]): Promise<string> {
  const program = new Program(args)
  onTestFinished(() => program.stop())
  return endpoint(program)
}

const URIS = ['file:///docs/a%20b.md', 'file:///docs/guide/install.md', 'file:///docs/guide/three.bin']

/** The same folder, reached in each way that there is. */
const WAYS: readonly (readonly [string, (root: string) => string | Promise<string>])[] = [
  ['as a folder', (root) => `docs=${root}`],
  ['as a command', (root) => command(CLI, 'serve', `docs=${root}`)],
  ['as a URL', (root) => webServer(CLI, 'serve', `docs=${root}`, '--http', '0')],
  ['through a gateway', (root) => command(CLI, 'serve', `mcp:${command(CLI, 'serve', `docs=${root}`)}`)],
  [
    'through two, one of them over HTTP',
    async (root) => webServer(CLI, 'serve', `mcp:${await webServer(CLI, 'serve', `docs=${root}`, '--http', '0')}`, '--http', '0'),
  ],
]

describe.each(WAYS)('`shelfmark` on a folder that is served, %s', (_name, serverOf) => {
  it('lists, finds, shows and reads', async () => {
    const server = await serverOf(folder())
    expect(await shelfmark('ls', server)).toEqual({ code: 0, signal: null, stdout: `${URIS.join('\n')}\n`, stderr: '' })
    const listed = json((await shelfmark('ls', server, '--json')).stdout)
    expect(listed.map(({ uri, mimeType, size }) => [uri, mimeType, size])).toEqual([
      [URIS[0], 'text/markdown', 6],
      [URIS[1], 'text/markdown', 8],
      [URIS[2], 'application/octet-stream', 3],
    ])
    expect((await shelfmark('tree', server)).stdout).toBe(
      'file:///docs/\n├── a%20b.md  6 bytes\n└── guide/\n    ├── install.md  8 bytes\n    └── three.bin  3 bytes\n',
    )
    expect((await shelfmark('find', server, 'INSTALL', 'guide')).stdout).toBe(`${URIS[1]}\n`)
    expect((await shelfmark('ls', server, '--templates')).stdout).toBe('file:///docs/{+path}\n')
    expect((await shelfmark('complete', server, 'file:///docs/{+path}', 'path', 'guide/i')).stdout).toBe('guide/install.md\n')
    expect((await shelfmark('read', server, URIS[0]!, URIS[1]!)).stdout).toBe('# A b\ninstall\n')
    expect((await shelfmark('read', server, 'file:///docs/{+path}', '--var', 'path=guide/install.md')).stdout).toBe('install\n')
    expect((await shelfmark('read', server, URIS[1]!, '--range', '2-4')).stdout).toBe('sta')
    const [stat] = json((await shelfmark('stat', server, URIS[1]!, '--json')).stdout)
    expect(stat).toMatchObject({ resource: { uri: URIS[1], size: 8 }, by: 'stat' })
  })

  it('writes bytes to a file, and one JSON object for programs', async () => {
    const root = folder()
    const server = await serverOf(root)
    const file = join(folderOfTest(), 'out.bin')
    expect(await shelfmark('read', server, URIS[2]!, '-o', file)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect([...readFileSync(file)]).toEqual([0, 1, 255])
    const [read] = json((await shelfmark('read', server, URIS[2]!, '--json')).stdout)
    expect(read).toMatchObject({ uri: URIS[2], contents: [{ uri: URIS[2], blob: 'AAH/' }], ttlMs: 0, cacheScope: 'private' })
    expect(await shelfmark('read', server, URIS[2]!, '--json', '-o', file)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(json(readFileSync(file, 'utf8'))).toEqual([read])
    expect(await shelfmark('read', server, URIS[2]!, '--json', '--type', 'image/*')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `shelfmark: ${URIS[2]} has nothing of the type image/*: there is application/octet-stream\n`,
    })
  })

  it('reads what is larger than the server gives at once', async () => {
    const root = folder()
    const large = Buffer.alloc(11 * 1024 * 1024 + 3, 'shelfmark ')
    writeFileSync(join(root, 'large.bin'), large)
    const file = join(folderOfTest(), 'large.bin')
    const uri = URIS[0]!.replace(/[^/]+$/, 'large.bin')
    expect(await shelfmark('read', await serverOf(root), uri, '-o', file)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(file).equals(large)).toBe(true)
  })

  it('tells of changes', async () => {
    const root = folder()
    const watch = run([CLI, 'watch', await serverOf(root), '--json'])
    const seen = () => new Set(json(watch.stdout).map(changeOf))
    // Written until it is watched, which nothing tells.
    await expect
      .poll(() => write(join(root, 'guide', 'install.md'), seen), { timeout: 15_000, interval: 500 })
      .toEqual(new Set([`updated ${URIS[1]}`]))
    writeFileSync(join(root, 'new.md'), 'new')
    await expect.poll(seen, { timeout: 15_000 }).toEqual(new Set([`updated ${URIS[1]}`, 'list']))
    await expect
      .poll(() => write(join(root, 'new.md'), seen), { timeout: 15_000, interval: 500 })
      .toEqual(new Set([`updated ${URIS[1]}`, 'list', 'updated file:///docs/new.md']))
    watch.child.kill('SIGTERM')
    expect(await watch.ended).toMatchObject({ code: 130, stderr: '' })
  })

  it('ends after so many changes', async () => {
    const root = folder()
    const watch = run([CLI, 'watch', await serverOf(root), URIS[0]!, '--count', '1'])
    await expect
      .poll(() => write(join(root, 'a b.md'), () => watch.stdout), { timeout: 15_000, interval: 500 })
      .toBe(`updated ${URIS[0]}\n`)
    expect(await watch.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('says what is not there on one line', async () => {
    const server = await serverOf(folder())
    expect(await shelfmark('read', server, 'file:///docs/none.md')).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'shelfmark: Not found: file:///docs/none.md\n',
    })
    for (const verb of ['read', 'stat']) {
      expect((await shelfmark(verb, server, 'none.md')).stderr).toBe(
        'shelfmark: Not found: none.md; a URI begins with a scheme, as file:///docs/guide.md, and `shelfmark ls` shows those there are\n',
      )
    }
    expect(await shelfmark('find', server, 'nothing-like-it')).toEqual({ code: 1, signal: null, stdout: '', stderr: '' })
  })
})

describe('`shelfmark` on several servers at once', () => {
  it('lists and reads each under its name, and asks who is meant', async () => {
    const [first, second] = [folder(), folder()]
    const gateway = command(
      CLI,
      'serve',
      `one=mcp:${command(CLI, 'serve', `docs=${first}`)}`,
      `two=mcp:${command(CLI, 'serve', `docs=${second}`)}`,
      `three=mcp:${command('-e', 'process.exit(3)')}`,
    )
    const { code, stdout, stderr } = await shelfmark('ls', gateway)
    expect([code, stdout.split('\n')]).toEqual([0, [...URIS.map((uri) => `one+${uri}`), ...URIS.map((uri) => `two+${uri}`), '']])
    expect(stderr).toBe('shelfmark: note: three: Left out: it failed\n')
    expect((await shelfmark('read', gateway, `two+${URIS[0]}`)).stdout).toBe('# A b\n')
    expect(await shelfmark('read', gateway, URIS[0]!)).toMatchObject({
      code: 1,
      stderr: `shelfmark: 2 servers have ${URIS[0]}; say which: one+${URIS[0]}, two+${URIS[0]}\n`,
    })
  })
})

describe('`shelfmark` on a server that cannot be read', () => {
  it.each([
    ['a command that is not there', 'no-such-program --x', 'could not be started: no such command "no-such-program"'],
    [
      'a path that is not there',
      './no/such',
      'There is no ./no/such: give a folder that is there, a URL, @name or a command in quotes (see shelfmark ls --help)',
    ],
    ['a quote without its partner', "node 'x", expect.stringContaining('quote')],
  ])('%s', async (_what, server, message) => {
    const { code, stdout, stderr } = await shelfmark('ls', server)
    expect([code === 1 || code === 2, stdout]).toEqual([true, ''])
    expect(stderr.replace(/^shelfmark: |\n$/g, '')).toEqual(message)
  })

  it('shows what it said last when it ends before it answers', async () => {
    const server = command('-e', 'console.error("no licence"); process.exit(7)')
    expect(await shelfmark('ls', server)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'shelfmark: server exited with code 7. The end of its standard error:\n  no licence\n',
    })
  })

  it('ends in time when it says nothing', async () => {
    const { code, stderr } = await shelfmark('ls', command('-e', 'setInterval(() => {}, 1e6)'), '--timeout', '1')
    expect([code, stderr]).toEqual([1, expect.stringContaining('did not answer')])
  })
})

describe('`shelfmark` that nobody reads or that is stopped', () => {
  it('ends quietly with the reader, and takes its server along', async () => {
    const root = folderOfTest()
    for (let i = 0; i < 5_000; i++) writeFileSync(join(root, `${String(i).padStart(5, '0')}.md`), '')
    const ls = run([CLI, 'ls', command(CLI, 'serve', `docs=${root}`)], { read: false })
    ls.child.stdout.once('data', () => ls.child.stdout.destroy())
    expect(await ls.ended).toMatchObject({ signal: null, stderr: '' })
    expect(existsSync(`/proc/${ls.child.pid}`)).toBe(false)
  })

  it('ends with 130 on Ctrl+C, and takes its server along', async () => {
    const root = folder()
    const watch = run([CLI, 'watch', command(CLI, 'serve', `docs=${root}`), '--list', '--json'])
    await expect.poll(() => childOf(watch.child.pid!), { timeout: 5_000 }).toBeDefined()
    const child = childOf(watch.child.pid!)
    watch.child.kill('SIGINT')
    expect(await watch.ended).toMatchObject({ code: 130, signal: null, stdout: '', stderr: '' })
    await expect.poll(() => existsSync(`/proc/${child}`), { timeout: 5_000 }).toBe(false)
  })

  it('ends with 130 when its terminal is closed, and takes along a server that does not look at its input', async () => {
    const server = command('-e', 'setInterval(() => {}, 1e6)')
    const ls = run([CLI, 'ls', server])
    await expect.poll(() => childOf(ls.child.pid!), { timeout: 5_000 }).toBeDefined()
    const child = childOf(ls.child.pid!)
    ls.child.kill('SIGHUP')
    expect(await ls.ended).toEqual({ code: 130, signal: null, stdout: '', stderr: '' })
    await expect.poll(() => existsSync(`/proc/${child}`), { timeout: 5_000 }).toBe(false)
  })

  it('ends with 130 although nobody takes what it prints', async () => {
    const root = folderOfTest()
    for (let i = 0; i < 4_000; i++) writeFileSync(join(root, `${String(i).padStart(200, '0')}.md`), '')
    const ls = run([CLI, 'ls', `docs=${root}`], { read: false })
    const exited = new Promise((resolve) => ls.child.once('exit', resolve))
    // The first bytes are there, and soon there are as many as a pipe holds.
    await new Promise((resolve) => ls.child.stdout.once('readable', resolve))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    ls.child.kill('SIGTERM')
    expect(await exited).toBe(130)
  })
})

function childOf(pid: number): string | undefined {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .find((one) => one !== '')
}
