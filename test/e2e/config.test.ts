import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { settled, TELLS } from '../faults/wire.ts'
import type { Program } from './command-line.ts'
import { CLI, endpoint, folderOfTest, modern, run } from './command-line.ts'
import { connectV1, connectV2 } from './official-clients.ts'

/** Longer than a change may take to be noticed, on a machine that is busy. */
const NOTICED = { timeout: 15_000 }

/** A folder with a file of settings and some others. */
function place(config: string) {
  const root = folderOfTest()
  const at = (name: string): string => join(root, name)
  for (const folder of ['docs', 'more']) mkdirSync(at(folder))
  for (const file of ['docs/a.md', 'docs/b.md', 'more/c.md']) writeFileSync(at(file), file)
  const file = at('shelfmark.yaml')
  writeFileSync(file, config)
  return { root, at, file, write: (text: string): void => writeFileSync(file, text) }
}

const serve = (file: string, ...more: readonly string[]): Program => run([CLI, 'serve', '--config', file, ...more])

/** A line that the server says, once; those before are passed over. */
const says = (server: Program, text: string): Promise<void> =>
  expect.poll(() => server.stderr.split(text).length - 1, NOTICED).toBe(1)

/** How many descriptors are open, but for connections, which clients close when they are idle. */
function opened({ child }: Program): number {
  const links = readdirSync(`/proc/${child.pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${child.pid}/fd/${fd}`)
    } catch {
      return 'socket:'
    }
  })
  return links.filter((link) => !link.startsWith('socket:')).length
}

/** An official client of each era, listening to the list and to a file. */
async function listeners(url: string, uri: string) {
  const make = () => ({ updates: [] as string[], lists: 0 })
  const [modernEar, legacyEar] = [make(), make()]
  const newer = await connectV2({ url }, { pin: '2026-07-28' }, (fresh) => {
    fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => void modernEar.updates.push(params.uri))
    fresh.setNotificationHandler('notifications/resources/list_changed', () => void modernEar.lists++)
  })
  const older = await connectV1({ url }, (fresh) => {
    fresh.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void legacyEar.updates.push(params.uri))
    fresh.setNotificationHandler(ResourceListChangedNotificationSchema, () => void legacyEar.lists++)
  })
  onTestFinished(async () => {
    await newer.close()
    await older.close()
  })
  const subscription = await newer.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] })
  await older.subscribeResource({ uri })
  const both = [
    { client: newer, ear: modernEar },
    { client: older, ear: legacyEar },
  ]
  const each = <T>(ask: (client: Lister) => Promise<T>): Promise<T[]> => Promise.all(both.map(({ client }) => ask(client)))
  return {
    ears: [modernEar, legacyEar],
    closed: subscription.closed,
    list: () => each(async (client) => (await client.listResources()).resources.map((one) => one.uri).toSorted()),
    read: (one: string) =>
      each((client) =>
        client.readResource({ uri: one }).then(
          () => 'read',
          (error: Error) => error.message,
        ),
      ),
  }
}

interface Lister {
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>
  readResource(params: { uri: string }): Promise<unknown>
}

const both = <T>(value: T): T[] => [value, value]
const A = 'file:///docs/a.md'
const HTTP = 'http: { listen: 0 }\n'

describe('`shelfmark serve --config`, while it is used by official clients of both eras', () => {
  it(
    'does what the file says as soon as it says it, drops nobody, and keeps to what was good',
    { timeout: 120_000 },
    async () => {
      const { at, file, write } = place(`${HTTP}mounts: [./docs]\naudit: ./one.jsonl\n`)
      const server = serve(file)
      const clients = await listeners(await endpoint(server), A)
      expect(await clients.list()).toEqual(both([A, 'file:///docs/b.md']))

      // Written in place: one mount more.
      write(`${HTTP}mounts: [./docs, ./more]\naudit: ./one.jsonl\n`)
      await says(server, 'shelfmark: shelfmark.yaml: read again: + ./more as file:///more\n')
      await expect.poll(() => clients.ears.map(({ lists }) => lists > 0), NOTICED).toEqual(both(true))
      expect(await clients.list()).toEqual(both([A, 'file:///docs/b.md', 'file:///more/c.md']))

      // Replaced, as editors do: a rule, and another file for the audit.
      const ruled = `${HTTP}mounts: [./docs, ./more]\naudit: ./two.jsonl\naccess:\n  - { name: drafts, deny: 'file:///docs/b.md' }\n  - allow: any\n`
      for (const ear of clients.ears) ear.lists = 0
      writeFileSync(at('.swap'), ruled)
      renameSync(at('.swap'), file)
      await says(server, 'read again: audit, access\n')
      await expect.poll(() => clients.ears.map(({ lists }) => lists > 0), NOTICED).toEqual(both(true))
      expect(await clients.read('file:///docs/b.md')).toEqual(both(expect.stringContaining('Resource not found')))
      expect(await clients.list()).toEqual(both([A, 'file:///more/c.md']))
      await expect
        .poll(() => readFileSync(at('two.jsonl'), 'utf8'))
        .toContain('"operation":"read","uri":"file:///docs/b.md","outcome":"denied","reason":"drafts"')
      const before = readFileSync(at('one.jsonl'), 'utf8')
      expect(before).not.toContain('denied')

      // Half of it, and then worse; then it is gone.
      write(ruled.slice(0, ruled.indexOf('drafts') + 3))
      await says(server, 'shelfmark.yaml:5:16: is no YAML: ')
      write(ruled.replace('deny', 'denny').replace('./more', './nowhere'))
      await says(server, 'shelfmark.yaml:5:21: access[0].denny: there is no such key; did you mean deny?\n')
      // Other rules beside a folder that is not there: neither is used.
      write(ruled.replace('./more', './nowhere').replace('docs/b.md', 'more'))
      await says(server, `shelfmark.yaml:2:18: mounts[1]: Wanted a folder to serve, but ${at('nowhere')} cannot be reached`)
      rmSync(file)
      await says(server, `shelfmark: ${file} cannot be read: ENOENT\n`)
      expect(server.stderr.split('What was read before holds on.').length - 1).toBe(4)
      expect(await clients.list()).toEqual(both([A, 'file:///more/c.md']))
      expect(await clients.read('file:///docs/b.md')).toEqual(both(expect.stringContaining('Resource not found')))

      // There again, and better: what is listened to is listened to still.
      write(ruled.replace(', ./more', ''))
      await says(server, 'read again: - ./more\n')
      for (const ear of clients.ears) ear.updates.length = 0
      writeFileSync(at('docs/a.md'), 'another one')
      await expect.poll(() => clients.ears.map(({ updates }) => updates), NOTICED).toEqual(both([A]))
      expect(readFileSync(at('one.jsonl'), 'utf8')).toBe(before)

      server.child.kill('SIGTERM')
      expect(await clients.closed).toBe('graceful')
      expect(await server.ended).toMatchObject({ code: 0, signal: null, stdout: '' })
    },
  )

  it(
    'puts a mount with other options in the place of the one before, and asks for tokens from then on',
    { timeout: 60_000 },
    async () => {
      const { at, file, write } = place(`${HTTP}mounts: [./docs]\n`)
      writeFileSync(at('docs/.hidden.md'), 'hidden')
      writeFileSync(at('tokens.txt'), '# nobody\n')
      const server = serve(file)
      const url = await endpoint(server)
      const clients = await listeners(url, A)
      write(`${HTTP}mounts: [{ source: ./docs, hidden: true }]\n`)
      await says(server, 'read again: - ./docs, + ./docs as file:///docs\n')
      expect(await clients.list()).toEqual(both(['file:///docs/.hidden.md', A, 'file:///docs/b.md']))
      // Whoever listened may have missed something.
      await expect.poll(() => clients.ears.map(({ updates }) => updates), NOTICED).toEqual(both([A]))
      write(`${HTTP}mounts: [{ source: ./docs, hidden: true }]\nidentity: { tokens: ./tokens.txt }\n`)
      await says(server, 'read again: rate, who may come\n')
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(modern(1, 'server/discover')) })).status).toBe(401)
    },
  )

  it('says what waits for the next start, and keeps to the rest', { timeout: 60_000 }, async () => {
    const { file, write } = place(`${HTTP}mounts: [./docs]\n`)
    const server = serve(file)
    const clients = await listeners(await endpoint(server), A)
    write(`name: other\nhttp: { listen: 1, allowedOrigins: ['https://a.example'] }\nmounts: [./more]\nlimits: { maxRead: 1 }\n`)
    await says(
      server,
      'read again: - ./docs, + ./more as file:///more, who may come, name at the next start, http.listen at the next start, limits at the next start\n',
    )
    expect(await clients.list()).toEqual(both(['file:///more/c.md']))
  })

  it('bounds whoever comes until the next start, also when the file says nothing of HTTP', { timeout: 60_000 }, async () => {
    const { at, file, write } = place('')
    writeFileSync(at('tokens.txt'), '# nobody\n')
    const open = `${HTTP}identity: { tokens: ./tokens.txt }\nmounts: [./docs]\n`
    write(open)
    const server = serve(file)
    const url = await endpoint(server)
    write('mounts: [./docs]\n')
    await says(
      server,
      'read again: http.listen at the next start, http.behindProxy at the next start, limits of http at the next start\n',
    )
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401)
    write(open)
    await says(server, 'read again: nothing is different\n')
  })

  it('refuses a change that would leave it open to others, and stays as it is', { timeout: 60_000 }, async () => {
    const { at, file, write } = place('')
    const open = 'http: { listen: "0.0.0.0:0", behindProxy: true }\nmounts: [./docs]\n'
    writeFileSync(at('tokens.txt'), '# nobody\n')
    write(`${open}identity: { tokens: ./tokens.txt }\n`)
    const server = serve(file)
    const url = (await endpoint(server)).replace('0.0.0.0', '127.0.0.1')
    write(open)
    await says(server, 'shelfmark.yaml:1:17: http.listen: host "0.0.0.0" can be reached by others, who could read everything')
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401)
  })
})

describe('`shelfmark serve --config` on stdio', () => {
  it('reads the file again without the client noticing', async () => {
    const { file, write } = place('mounts: [./docs]\n')
    const server = serve(file)
    server.send(modern(1, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }))
    await server.until(({ messages }) => messages[0])
    write('mounts: [./more]\n')
    await server.until(
      ({ messages }) => messages.find(({ method }) => method === 'notifications/resources/list_changed'),
      NOTICED.timeout,
    )
    server.send(modern(2, 'resources/list'))
    expect((await server.answer(2)).result).toMatchObject({ resources: [{ uri: 'file:///more/c.md' }] })
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  it('bounds what may be under way, and how long it may take, by itself', async () => {
    const { file } = place('mounts: [./docs]\nconcurrency: { total: 1, queue: 0 }\n')
    const server = serve(file)
    server.send(...[1, 2].map((id) => modern(id, 'resources/read', { uri: A })))
    const answers = await Promise.all([server.answer(1), server.answer(2)])
    expect(answers.map(({ error }) => error?.code).filter((code) => code !== undefined)).toEqual([10_429])
  })
})

describe.skipIf(process.platform === 'win32')('SIGHUP', () => {
  it('has the file read again at once, and what it names; without a file it ends the server', async () => {
    const { at, file } = place(`${HTTP}mounts: [./docs]\nkeys: ['file:key']\n`)
    writeFileSync(at('key'), 'k'.repeat(32), { mode: 0o600 })
    const server = serve(file)
    const url = await endpoint(server)
    writeFileSync(at('key'), 'n'.repeat(32))
    server.child.kill('SIGHUP')
    await says(server, 'shelfmark.yaml: read again: keys\n')
    chmodSync(at('key'), 0o644)
    server.child.kill('SIGHUP')
    await says(server, `shelfmark.yaml:3:8: keys[0]: ${at('key')} can be read by others: chmod 600 it`)
    server.child.kill('SIGHUP')
    // What is answered came after the signal.
    for (let i = 0; i < 5; i++) await fetch(url)
    chmodSync(at('key'), 0o600)
    server.child.kill('SIGHUP')
    await server.until(({ stderr }) => stderr.includes('read again: nothing is different') || undefined)
    // Once, however often it was so.
    await says(server, 'can be read by others')
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    const plain = run([CLI, 'serve', at('docs'), '--http', '0'])
    await endpoint(plain)
    plain.child.kill('SIGHUP')
    expect(await plain.ended).toMatchObject({ code: 0, signal: null })
  })

  it.skipIf(!TELLS)('leaves as many descriptors open after 50 times as before', { timeout: 120_000 }, async () => {
    const text = (i: number): string =>
      `${HTTP}mounts: [./docs, { source: ./more, hidden: ${i % 2 === 0} }]\naudit: ./audit-${i % 3}.jsonl\nrate: { burst: ${i + 1} }\n`
    const { file, write } = place(text(0))
    const server = serve(file)
    const clients = await listeners(await endpoint(server), A)
    await clients.list()
    const before = await settled(() => opened(server))
    for (let i = 1; i <= 51; i++) {
      // One in ten is refused after its files were opened.
      write(i % 10 === 0 ? text(i).replace('./more', './nowhere') : text(i))
      const read = server.stderr.split(/read again|holds on/).length
      server.child.kill('SIGHUP')
      await expect.poll(() => server.stderr.split(/read again|holds on/).length, NOTICED).toBeGreaterThan(read)
    }
    await clients.list()
    await expect.poll(() => settled(() => opened(server)), NOTICED).toBe(before)
  })
})

/** Runs a command in a terminal of its own. */
const SCRIPT = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

describe.skipIf(!SCRIPT)('SIGHUP in a terminal (needs script of util-linux)', () => {
  it('has the file read again as long as the terminal is there, and ends the server when it is closed', async () => {
    const { file } = place(`${HTTP}mounts: [./docs]\n`)
    const command = `echo "pid $$"; exec ${process.execPath} ${CLI} serve --config ${file}`
    const terminal = spawn('script', ['-qfec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
    await expect.poll(() => shown, NOTICED).toMatch(/http:\S+\/mcp/)
    const pid = Number(/pid (\d+)/.exec(shown)?.[1])
    const isThere = (): boolean => existsSync(`/proc/${pid}/fd`)
    process.kill(pid, 'SIGHUP')
    await expect.poll(() => shown, NOTICED).toContain('read again: nothing is different')
    expect(isThere()).toBe(true)
    terminal.kill('SIGKILL')
    await expect.poll(isThere, NOTICED).toBe(false)
  })
})

describe('`shelfmark serve --config --dry-run`', () => {
  const ended = (...args: readonly string[]) => run([CLI, 'serve', ...args]).ended

  it('says what would be served and by which rules, and writes nothing', async () => {
    const { root, at, file } = place(`
name: acme
mounts:
  - ./docs
  - { source: ./more, name: extra, deadline: 5s }
http: { listen: 8080, allowedHosts: [docs.example.com] }
audit: ./audit.jsonl
access: [{ name: all, allow: any }]
rate: false
`)
    expect(await ended('--config', file, '--dry-run')).toEqual({
      code: 0,
      signal: null,
      stderr: '',
      stdout: `serves "acme" (acme) at http://127.0.0.1:8080/mcp
  ./docs as file:///docs
  ./more as file:///extra
  ./more: {"deadline":{"ms":5000}}
identity: everybody is the local user
hosts: ["docs.example.com"], origins: [], beside its own
tools: resources
audit: {"file":"${at('audit.jsonl')}"}
rate: none
concurrency: defaults
access:
  {"name":"all","allow":["any"]}
deadline: defaults
redact: none
cache: none
limits: defaults
keys: of the environment, or of this process
`,
    })
    expect(existsSync(join(root, 'audit.jsonl'))).toBe(false)
  })

  it('says what is replaced by its name, and never the secret itself', async () => {
    const { file } = place(`
mounts: [{ source: ./docs, redact: { patterns: [{ name: site, text: geheim-1 }] } }]
redact: { maxBytes: 1MiB, patterns: [{ name: house, text: [geheim-2] }] }
`)
    const { stdout } = await ended('--config', file, '--dry-run')
    expect(stdout).toContain('  ./docs: {"redact":{"patterns":["site"]}}\n')
    expect(stdout).toContain('redact: {"maxBytes":1048576,"patterns":["house"]}\n')
    expect(stdout).not.toContain('geheim')
  })

  it('says whose tokens are taken', async () => {
    const { file, at } = place(`
mounts: [./docs]
http: {}
identity: { tokens: ./tokens.txt, jwt: { issuer: 'https://login.example' }, publicUrl: 'https://docs.example/mcp', requiredScopes: [read] }
`)
    writeFileSync(at('tokens.txt'), '')
    const { code, stdout, stderr } = await ended('--config', file, '--dry-run')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^identity: tokens of .*tokens\.txt, tokens of https:\/\/login\.example for https:\/\/docs\.example\/mcp, with the scopes read$/m,
    )
  })

  it.each([
    ['stdio', [], 'none none defaults'],
    ['HTTP', ['--http', '0'], 'none defaults defaults'],
    ['HTTP with tokens', ['--http', '0', '--tokens', 'tokens.txt'], 'defaults defaults defaults'],
  ])('says how %s is bounded without being told to', async (_where, more, bounds) => {
    const { root } = place('')
    writeFileSync(join(root, 'tokens.txt'), '# nobody\n')
    const { stdout } = await run([CLI, 'serve', './docs', '--dry-run', ...more], { cwd: root }).ended
    const said = ['rate', 'concurrency', 'deadline'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(stdout)?.[1])
    expect(said.join(' ')).toBe(bounds)
  })

  it('lets an option that is given win, and adds sources', async () => {
    const { at, file } = place(`name: acme\nmounts: [./docs]\nhttp: { listen: 8080 }\naudit: { file: ./audit.jsonl, files: 2 }\n`)
    const args = ['--name', 'other', '--http', '9090', '--audit', at('other.jsonl'), '--max-read', '1MiB']
    const { code, stdout } = await ended('--config', file, '--dry-run', ...args, `extra=${at('more')}`)
    expect(code).toBe(0)
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'serves "other" (other) at http://127.0.0.1:9090/mcp',
      '  ./docs as file:///docs',
      `  extra=${at('more')} as file:///extra`,
    ])
    expect(stdout).toContain(`audit: {"file":"${at('other.jsonl')}","files":2}\n`)
    expect(stdout).toContain('limits: {"maxRead":1048576}\n')
  })

  it.each([
    [
      'mounts: [./docs',
      'shelfmark.yaml:2:1: is no YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['name: a', 'shelfmark.yaml:1:1: mounts: wants at least one'],
    ['name: "42"\nmounts: [./docs]', 'shelfmark.yaml:1:7: name: --name needs at least one letter, got "42"'],
    [
      'mounts: [./docs, ./docs]',
      'shelfmark.yaml:1:18: mounts[1]: Two sources have the same name, the second is "./docs": give it another, for example other=./docs',
    ],
    [
      'mounts: ["git:./repo"]',
      'shelfmark.yaml:1:10: mounts[0]: "git:" is no kind of source: a source is a folder, for example ./docs, or mcp: and a server; write ./git:./repo for a folder of that name',
    ],
    [
      'mounts: [./docs]\nidentity: { tokens: ./tokens.txt }',
      'shelfmark.yaml:2:11: identity: is for serving over HTTP: add http, with listen',
    ],
    ['mounts: [./docs]\naudit: ./docs/audit.jsonl', 'which is served: name a file elsewhere'],
    ["mounts: [./docs]\nkeys: ['file:docs/key']", 'which is served: name a file elsewhere'],
    ['mounts: [./docs]\nhttp: { tls: { cert: cert.pem, key: docs/key } }', 'is inside of "'],
    ["mounts: [./docs]\nkeys: ['file:link']", 'which is served: name a file elsewhere'],
    [
      'mounts: [./docs]\nhttp: { allowedHosts: ["*"] }',
      'shelfmark.yaml:2:23: http.allowedHosts: allowedHosts takes exact values such as app.example:8443, got "*"',
    ],
    [
      'mounts: [./docs]\nhttp: { listen: "0.0.0.0:80" }',
      'shelfmark.yaml:2:17: http.listen: host "0.0.0.0" can be reached by others',
    ],
    ['mounts: [./docs]\nhttp: { tls: { cert: a.pem, key: b.pem } }', 'shelfmark.yaml:2:14: http.tls: The certificate '],
    [
      'mounts: [./docs]\nhttp: { keepAlive: 50d }',
      'shelfmark.yaml:2:20: http.keepAlive: "keepAliveMs" takes a number from 1 to 2147483647, got 4320000000',
    ],
    [
      'mounts: [./docs]\ndeadline: 50d',
      'shelfmark.yaml:2:11: deadline: "ms" takes a number from 1 to 2147483647, got 4320000000',
    ],
  ])('exits with 1 for %j, and says where', async (text, message) => {
    const { at, file } = place(`${text}\n`)
    writeFileSync(at('docs/key'), 'k'.repeat(32), { mode: 0o600 })
    symlinkSync(at('docs/key'), at('link'))
    const { code, stdout, stderr } = await ended('--config', file, '--dry-run')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.startsWith('shelfmark: ')).toBe(true)
    expect(stderr).toContain(message)
    expect(stderr).toContain('shelfmark.yaml:')
  })

  it('is not needed for a hint: a file that is there is not read unless it is named', async () => {
    const { root } = place('mounts: [./docs]\n')
    const { code, stderr } = await run([CLI, 'serve'], { cwd: root }).ended
    expect([code, stderr]).toEqual([
      2,
      'shelfmark: serve needs a source, for example: shelfmark serve ./docs; to use the shelfmark.yaml of this folder: shelfmark serve --config shelfmark.yaml (see shelfmark serve --help)\n',
    ])
  })
})

describe('examples/config', () => {
  it('shows each client exactly what its rules say', { timeout: 60_000 }, async () => {
    const root = folderOfTest()
    for (const name of ['config', 'library'])
      cpSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), join(root, name), { recursive: true })
    const at = (name: string): string => join(root, 'config', name)
    const token = (name: string, ...more: readonly string[]): string =>
      execFileSync(process.execPath, [CLI, 'token', name, '--file', at('tokens.txt'), ...more], { encoding: 'utf8' }).trim()
    const [alice, bob] = [token('alice', '--scope', 'staff'), token('bob')]
    const env = { ...process.env, SHELFMARK_KEY: 'k'.repeat(32) }
    const server = run([CLI, 'serve', '--config', at('shelfmark.yaml'), '--http', '0'], { env })
    const url = await endpoint(server)
    const seen = async (bearer: string) => {
      const withToken = (input: string | URL, init?: RequestInit): Promise<Response> => {
        const headers = new Headers(init?.headers)
        headers.set('authorization', `Bearer ${bearer}`)
        return fetch(input, { ...init, headers })
      }
      const client = await connectV2({ url, fetch: withToken }, { pin: '2026-07-28' })
      onTestFinished(() => client.close())
      const uris = (await client.listResources()).resources.map(({ uri }) => uri)
      const read = async (uri: string): Promise<string> =>
        client.readResource({ uri }).then(
          () => 'read',
          (error: Error) => error.message,
        )
      return {
        rules: uris.filter((uri) => uri.startsWith('file:///library/rules/')).length,
        handbook: uris.filter((uri) => uri.startsWith('file:///handbook/')),
        library: uris.includes('file:///library/README.md'),
        staff: await read('file:///handbook/staff.md'),
        room: await read('file:///library/rules/reading-room.md'),
        welcome: await read('file:///handbook/welcome.md'),
      }
    }
    const absent = expect.stringContaining('Resource not found')
    const staff = ['file:///handbook/staff.md', 'file:///handbook/welcome.md']
    expect(await seen(alice)).toEqual({ rules: 2, handbook: staff, library: true, staff: 'read', room: 'read', welcome: 'read' })
    const welcome = ['file:///handbook/welcome.md']
    expect(await seen(bob)).toEqual({ rules: 0, handbook: welcome, library: true, staff: absent, room: absent, welcome: 'read' })
    expect((await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', accept: '*/*' } })).status).toBe(
      401,
    )
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(readFileSync(at('audit.jsonl'), 'utf8')).toContain('"outcome":"denied","reason":"rules of the house"')
  })
})
