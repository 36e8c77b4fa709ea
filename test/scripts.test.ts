import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { parseBaseline } from '../scripts/conformance-baseline.mjs'
import { connectHints } from '../scripts/connect-hints.mjs'
import { withLock } from '../scripts/lock.mjs'
import { count } from '../scripts/test.mjs'
import { serveArguments } from '../scripts/serve-arguments.mjs'

const folder = mkdtempSync(join(tmpdir(), 'shelfmark-scripts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('withLock()', () => {
  test('lets one piece of work run at a time, and releases after each', async () => {
    const file = join(folder, 'one.lock')
    const steps: string[] = []
    const work = (name: string) => async () => {
      steps.push(`${name} starts`)
      await sleep(50)
      steps.push(`${name} ends`)
    }
    await Promise.all([withLock(file, work('first')), withLock(file, work('second'))])
    expect(steps).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
    expect(existsSync(file)).toBe(false)
  })

  test('releases when the work fails', async () => {
    const file = join(folder, 'fails.lock')
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(existsSync(file)).toBe(false)
  })

  test('passes over a holder that died', async () => {
    const file = join(folder, 'dead.lock')
    writeFileSync(file, String(spawnSync(process.execPath, ['-e', '']).pid))
    expect(await withLock(file, async () => readFileSync(file, 'utf8'))).toBe(String(process.pid))
  })

  test('passes over a holder that gave no sign for half a minute, whoever has its number now', async () => {
    const file = join(folder, 'silent.lock')
    writeFileSync(file, String(process.ppid))
    utimesSync(file, new Date(), new Date(Date.now() - 31_000))
    expect(await withLock(file, async () => 'ran')).toBe('ran')
  })
})

describe('count()', () => {
  test('names what failed, what was skipped, and what passed at its second attempt', () => {
    const name = fileURLToPath(new URL('sample.test.ts', import.meta.url))
    const assertionResults = [
      { status: 'passed', fullName: 'is steady', failureMessages: [] },
      { status: 'passed', fullName: 'is not', failureMessages: ['Error: late\n    at once'] },
      { status: 'failed', fullName: 'is wrong', failureMessages: ['Error: no', 'Error: still no'] },
      { status: 'skipped', fullName: 'needs a service' },
    ]
    const broken = {
      name: fileURLToPath(new URL('broken.test.ts', import.meta.url)),
      status: 'failed',
      message: 'Syntax\nat line 1',
    }
    expect(
      count([
        { name, status: 'failed', message: '', assertionResults },
        { ...broken, assertionResults: [] },
      ]),
    ).toEqual({
      passed: 2,
      failed: ['test/sample.test.ts: is wrong: Error: no', 'test/broken.test.ts: Syntax'],
      skipped: ['test/sample.test.ts: needs a service'],
      unsteady: ['test/sample.test.ts: is not: Error: late'],
    })
  })
})

describe('run()', () => {
  test('ends what it started when the script is ended, and dies of the same signal', async () => {
    const grandchild = "console.log('up'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
    const child = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' })`
    const url = new URL('../scripts/run.mjs', import.meta.url).href
    const script = `import { node } from ${JSON.stringify(url)}; await node(['-e', ${JSON.stringify(child)}])`
    const started = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise((resolve) => started.stdout.once('data', resolve))
    const ended = new Promise((resolve) => started.once('exit', (_code, signal) => resolve(signal)))
    // Closed once no process holds the pipe any more, the stubborn one at the end of the chain included.
    const closed = new Promise((resolve) => started.once('close', () => resolve('closed')))
    started.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
    expect(await closed).toBe('closed')
  })
})

describe('parseBaseline()', () => {
  test('reads scenarios under all versions and under one', () => {
    const lists = parseBaseline("# head\nall:\n  - ping # not served\n'2025-11-25':\n  - server-sse-polling:check # why\n")
    expect([...lists]).toEqual([
      ['all', new Set(['ping'])],
      ['2026-07-28', new Set()],
      ['2025-11-25', new Set(['server-sse-polling:check'])],
      ['2025-06-18', new Set()],
    ])
  })

  test('refuses a line without a reason, and a version that is not tried', () => {
    expect(() => parseBaseline('all:\n  - ping\n')).toThrow('line 2')
    expect(() => parseBaseline("'2019-01-01':\n")).toThrow('expected-failures.yml, line 1')
  })

  test('takes the names that are tried, and says which file is wrong', () => {
    const options = { file: 'expected-client-failures.yml', tried: ['extensions'] }
    expect([...parseBaseline('extensions:\n  - auth/dpop # why\n', options)]).toEqual([
      ['all', new Set()],
      ['extensions', new Set(['auth/dpop'])],
    ])
    expect(() => parseBaseline('2025-11-25:\n', options)).toThrow('expected-client-failures.yml, line 1')
  })
})

describe('serveArguments()', () => {
  test.each([
    [[], [], [], []],
    [['./docs'], ['./docs'], [], []],
    [['--http', '8080', './docs'], ['./docs'], ['--http', '8080'], []],
    [['a', '--hidden', 'b=c', '--http=8080'], ['a', 'b=c'], ['--http=8080'], ['--hidden']],
    [['--name', 'x', '--max-read=5', 'a', '--odd', '--', '-b'], ['a', '-b'], [], ['--name', 'x', '--max-read=5', '--odd']],
    [['a', '--http'], ['a'], ['--http'], []],
  ])('tells %j apart', (given, sources, http, others) => {
    expect(serveArguments(given)).toEqual({ sources, http, others })
  })
})

describe('connectHints()', () => {
  const hints = connectHints({
    url: 'http://127.0.0.1:7467/mcp',
    cli: '/a b/shelfmark.js',
    sources: ['/srv/docs', 'notes', "git:./it's", 'race=/srv/x', 'cups=cups'],
    options: ['--name', 'My shelf'],
  })

  test('gives each host its own form', () => {
    expect(hints).toContain('claude mcp add --transport http shelfmark http://127.0.0.1:7467/mcp\n')
    expect(hints).toContain('{"servers":{"shelfmark":{"type":"http","url":"http://127.0.0.1:7467/mcp"}}}')
    expect(hints).toContain('{"mcpServers":{"shelfmark":{"url":"http://127.0.0.1:7467/mcp"}}}')
  })

  test('leaves other sources than folders as they are, and quotes for the shell', () => {
    expect(hints).toContain(`node '/a b/shelfmark.js' serve /srv/docs `)
    expect(hints).toContain(` 'git:./it'\\''s' race=/srv/x `)
    expect(hints).toContain(` --name 'My shelf'\n`)
  })

  test('makes a folder absolute, since hosts start commands elsewhere', () => {
    expect(hints).toContain(`"/srv/docs",${JSON.stringify(join(process.cwd(), 'notes'))},"git:./it's"`)
    expect(hints).toContain(`"race=/srv/x",${JSON.stringify(`cups=${join(process.cwd(), 'cups')}`)},"--name","My shelf"]`)
  })
})
