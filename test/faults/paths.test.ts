import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { CLI, folderOfFile, modern, opening, Program } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'

const ROOT = 'file:///docs/'

/** What stands around the folder that is served as `file:///docs`; whatever must not be seen holds this. */
const CANARY = 'CANARY'
const FILES = {
  'docs/ok.md': 'ok',
  'docs/sub/deep.md': 'deep',
  'docs/hello world.txt': 'a space',
  'docs/caf\u00e9.txt': 'an accent',
  'docs/100%.txt': 'a percent sign',
  'docs/a#b': 'a hash',
  'docs/a?b': 'a question mark',
  'docs/%2e%2e': 'a name that is no triplet',
  'docs/v1..v2': 'two dots',
  'docs/.env': CANARY,
  'docs/sub/.env': CANARY,
  'docs/.aws/credentials': CANARY,
  'docs-secret/a': CANARY,
  'docs.bak/a': CANARY,
  'doc/a': CANARY,
  '.env': CANARY,
  'outside/passwd': CANARY,
  'outside/folder/passwd': CANARY,
}
const LINKS = {
  'docs/out': '../outside/passwd',
  'docs/away': '../outside',
  'docs/slash': '/',
  'docs/chain-1': 'chain-2',
  'docs/chain-2': 'chain-3',
  'docs/chain-3': '../outside/passwd',
  'docs/dangling': '../outside/later',
  'docs/environ': '/proc/self/environ',
  'docs/proc': '/proc/self/root',
  'docs/zero': '/dev/zero',
  'docs/innocent': '.env',
  'docs/loop': 'loop',
}

/** What was once got at, somewhere: what went wrong, and the URIs that would do it here. */
const INCIDENTS: readonly (readonly [what: string, uris: readonly string[]])[] = [
  [
    'a root compared as a prefix of text',
    ['file:///docs-secret/a', 'file:///docs.bak/a', 'file:///doc/a', 'file:///docs/../docs-secret/a', 'file:///docs%2D/a'],
  ],
  [
    'links followed out of the root',
    [
      'file:///docs/out',
      'file:///docs/away',
      'file:///docs/away/passwd',
      'file:///docs/away/folder/passwd',
      'file:///docs/slash',
      'file:///docs/slash/etc/passwd',
      'file:///docs/chain-1',
      'file:///docs/loop',
    ],
  ],
  ['a link that led nowhere when it was checked', ['file:///docs/dangling']],
  [
    'links of the kernel, and devices',
    [
      'file:///docs/environ',
      'file:///docs/proc/etc/passwd',
      'file:///docs/proc',
      'file:///docs/zero',
      'file:///proc/self/environ',
    ],
  ],
  [
    'text decoded after it was checked, or twice, or not as UTF-8',
    [
      'file:///docs/..%2Foutside%2Fpasswd',
      'file:///docs/..%2f..%2fetc%2fpasswd',
      'file:///docs/%2e%2e/outside/passwd',
      'file:///docs/%2E%2E%2Foutside%2Fpasswd',
      'file:///docs/%252e%252e/outside/passwd',
      'file:///docs/%252e%252e%252foutside%252fpasswd',
      'file:///docs/..%5c..%5coutside%5cpasswd',
      'file:///docs/%c0%ae%c0%ae/outside/passwd',
      'file:///docs/%ff',
      'file:///docs/ok.md%00',
      'file:///docs/sub%2Fdeep.md',
    ],
  ],
  [
    'paths taken for absolute ones',
    [
      'file:///etc/passwd',
      'file:////etc/passwd',
      'file:///docs//etc/passwd',
      'file:///docs/%2Fetc%2Fpasswd',
      '/etc/passwd',
      'file:/etc/passwd',
      'file://localhost/etc/passwd',
    ],
  ],
  [
    'names that another system reads as something else',
    [
      'file:///docs/ok.md:stream',
      'file:///docs/ok.md::$DATA',
      'file:///docs/CON',
      'file:///docs/nul.txt',
      'file:///docs/COM%C2%B9',
      'file:///docs/ok.md.',
      'file:///docs/ok.md%20',
      'file:///docs/OK.MD',
      'file:///docs/\\\\?\\C:\\x',
      'file://server/share',
      'file:///docs/C:x',
      'file:///docs/%E2%80%AEdm.ko',
    ],
  ],
  [
    'a list of what is denied that looked at another text than was opened',
    [
      'file:///docs/.env',
      'file:///docs/.env?x',
      'file:///docs/.env?raw??',
      'file:///docs/.env#',
      'file:///docs/.env#/../x',
      'file:///docs/.env/.',
      'file:///docs/.env/',
      'file:///docs/.ENV',
      'file:///docs/.env.',
      'file:///docs/./.env',
      'file:///docs/sub/../.env',
      'file:///docs/.env%00.txt',
      'file:///docs/%2eenv',
      'file:///docs/sub/.env',
      'file:///docs/innocent',
      'file:///docs/.aws',
      'file:///docs/.aws/credentials',
      'file:///.env',
      'file:///docs/../.env',
    ],
  ],
]

/** What a completion may begin with, to be led out or to what is denied. */
const PREFIXES = ['', '.', '.e', '.env', '../', '..%2F', 'away/', 'slash/etc/p', 'proc/', '.aws/', 'sub/', 'sub/.', '/', '/etc/p']

const folder = folderOfFile()
let server: Program
let last = 0

async function ask(method: string, params: object, era: 'modern' | 'legacy' = 'modern'): Promise<Wire> {
  const id = ++last
  server.send(era === 'modern' ? modern(id, method, params) : { jsonrpc: '2.0', id, method, params })
  return server.answer(id)
}

describe.skipIf(process.platform === 'win32')('serve on stdio, asked for what it must not give', () => {
  beforeAll(async () => {
    for (const [path, body] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), body)
    }
    for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(folder, path))
    server = new Program([CLI, 'serve', `docs=${join(folder, 'docs')}`, '--hidden'])
    server.send(...opening(++last))
    await server.answer(last)
    return () => server.stop()
  })

  it.each(INCIDENTS)('answers %s as it answers what is not there, on every way to it', async (_, uris) => {
    // Anything behind the link that led nowhere is made after it was asked for once.
    await ask('resources/read', { uri: 'file:///docs/dangling' })
    writeFileSync(join(folder, 'outside/later'), CANARY)
    for (const uri of uris) {
      expect((await ask('resources/read', { uri })).error).toEqual({
        code: -32602,
        message: 'Resource not found',
        data: { uri },
      })
      expect((await ask('resources/read', { uri }, 'legacy')).error).toEqual({
        code: -32002,
        message: 'Resource not found',
        data: { uri },
      })
      expect((await ask('resources/directory/read', { uri })).error?.code).toBe(-32602)
      expect((await ask('resources/subscribe', { uri }, 'legacy')).result).toBe(undefined)
      if (!uri.startsWith(ROOT)) continue
      const answer = await ask('completion/complete', completion(`${ROOT}{+path}`, uri.slice(ROOT.length)))
      expect(answer.result?.['completion']).toEqual({ values: [], total: 0, hasMore: false })
    }
  })

  it.each(['a?b', 'a#b', 'hello world.txt ', '/ok.md', 'ok.md?', 'sub/./deep.md'])('knows no file as %s', async (tail) => {
    expect((await ask('resources/read', { uri: ROOT + tail })).error?.code).toBe(-32602)
  })

  it('acknowledges no subscription to any of it', async () => {
    const uris = INCIDENTS.flatMap(([, all]) => all)
    const id = ++last
    server.send(modern(id, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } }))
    const acknowledged = await server.until(({ messages }) =>
      messages.find(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    )
    expect((acknowledged.params?.['notifications'] as { resourceSubscriptions?: string[] }).resourceSubscriptions ?? []).toEqual(
      [],
    )
  })

  it('lists, completes and enumerates what can be read, and nothing else', async () => {
    const readable = [
      'file:///docs/%252e%252e',
      'file:///docs/100%25.txt',
      'file:///docs/a%23b',
      'file:///docs/a%3Fb',
      'file:///docs/caf%C3%A9.txt',
      'file:///docs/hello%20world.txt',
      'file:///docs/ok.md',
      'file:///docs/sub/deep.md',
      'file:///docs/v1..v2',
    ]
    const { result } = await ask('resources/list', {})
    expect((result?.['resources'] as { uri: string }[]).map((item) => item.uri)).toEqual(readable)
    const bodies = await Promise.all(readable.map((uri) => ask('resources/read', { uri })))
    expect(bodies.map((body) => (body.result?.['contents'] as { text: string }[])[0]?.text)).toEqual([
      'a name that is no triplet',
      'a percent sign',
      'a hash',
      'a question mark',
      'an accent',
      'a space',
      'ok',
      'deep',
      'two dots',
    ])
    const children = await ask('resources/directory/read', { uri: 'file:///docs' })
    expect((children.result?.['resources'] as { name: string }[]).map((item) => item.name)).toEqual([
      '%2e%2e',
      '100%.txt',
      'a#b',
      'a?b',
      'caf\u00e9.txt',
      'hello world.txt',
      'ok.md',
      'sub',
      'v1..v2',
    ])
    const values = new Set<string>()
    for (const prefix of PREFIXES) {
      const answer = await ask('completion/complete', completion(`${ROOT}{+path}`, prefix))
      for (const value of (answer.result?.['completion'] as { values: string[] }).values) values.add(value)
    }
    expect([...values].toSorted()).toEqual([
      '%252e%252e',
      '100%25.txt',
      'a%23b',
      'a%3Fb',
      'caf\u00e9.txt',
      'hello world.txt',
      'ok.md',
      'sub/',
      'sub/deep.md',
      'v1..v2',
    ])
  })

  it('says nowhere what it holds back, nor where it stands', () => {
    expect(server.stdout).not.toContain(CANARY)
    expect(server.stdout).not.toContain(folder)
    expect(server.stderr).toBe('')
  })
})

function completion(uri: string, value: string): object {
  return { ref: { type: 'ref/resource', uri }, argument: { name: 'path', value } }
}
