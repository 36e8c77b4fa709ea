import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { check, rulesOf } from './checking.ts'
import { beside, CLI, endpoint, folderOfTest, run } from './command-line.ts'

/** A command in quotes, as `<server>` is given. */
const command = (...words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')
const FAULTY = beside('faulty-server.mjs')

function folder(): string {
  const root = folderOfTest()
  mkdirSync(join(root, 'sub'))
  writeFileSync(join(root, 'setup guide.md'), '# Guide\n')
  writeFileSync(join(root, 'empty.txt'), '')
  writeFileSync(join(root, 'bom.txt'), '\ufeffmarked')
  writeFileSync(join(root, 'latin.txt'), Buffer.from('caf\u00e9', 'latin1'))
  writeFileSync(join(root, 'data.json'), '{"a": 1}')
  writeFileSync(join(root, 'sub', 'caf\u00e9.png'), Buffer.from('89504e470d0a1a0a00', 'hex'))
  return root
}

describe('shelfmark check, of shelfmark serve', { timeout: 60_000 }, () => {
  it.each(['modern', 'legacy'])('finds nothing wrong on stdio, in the %s era', async (era) => {
    expect(await rulesOf(command(process.execPath, CLI, 'serve', `docs=${folder()}`), '--era', era)).toEqual([])
  })

  it.each(['modern', 'legacy'])('finds nothing wrong over HTTP, in the %s era', async (era) => {
    const url = await endpoint(run([CLI, 'serve', `docs=${folder()}`, '--http', '0']))
    expect(await rulesOf(url, '--era', era)).toEqual([])
  })

  it('finds nothing wrong with a folder', async () => {
    expect(await rulesOf(folder())).toEqual([])
  })
})

describe('shelfmark check, of servers with mistakes', { timeout: 60_000 }, () => {
  it('finds those of an older official server', async () => {
    expect(await rulesOf(command(process.execPath, FAULTY, 'v1'))).toEqual([
      'error invalid-uri my notes.txt',
      'error invalid-base64 note:picture',
      'error output-noise standard output',
      'warning duplicate-uri note:a',
      'warning empty-for-absent note:a-*',
      'warning subscribe-refused note:a',
      'warning subscribe-refused note:a',
      'warning mime-differs note:a',
      'warning size-differs note:a',
      'warning listed-unreadable note:gone',
      'info templates-unanswered resources/templates/list',
      'info error-leak note:gone',
    ])
  })

  it('finds those of a newer official server, in each era by its revision', async () => {
    const server = command(process.execPath, FAULTY, 'v2')
    expect(await rulesOf(server)).toEqual([
      // The SDK looks at the version of the first request of a connection, and not at that of each (basic/versioning).
      'error version-refusal resources/list',
      'error listed-unreadable note:broken',
      'warning template-unreadable person:{name}',
      'warning binary-as-text note:picture',
      'warning mime-differs note:picture',
    ])
    expect(await rulesOf(server, '--era', 'legacy')).toEqual([
      'warning not-found-code note:picture-*',
      'warning template-unreadable person:{name}',
      'warning binary-as-text note:picture',
      'warning mime-differs note:picture',
      'warning listed-unreadable note:broken',
    ])
  })

  it('prints a card for people: grouped, escaped, without colours where no terminal is, with counts at the end', async () => {
    const { code, stdout } = await check(command(process.execPath, FAULTY, 'v1'))
    expect(code).toBe(1)
    const lines = stdout.split('\n')
    expect(lines.slice(0, 8)).toEqual([
      'faulty-v1 1.0.0, judged by revision 2025-11-25',
      '',
      'Errors',
      '  invalid-uri  The URI has no scheme',
      '    about   my notes.txt',
      '    seen    my notes.txt',
      '    spec    https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource',
      '    advice  Percent-encode what a URI may not hold, and begin it with a scheme.',
    ])
    expect(lines.at(-2)).toBe('3 errors, 7 warnings, 2 for information')
    expect(stdout).not.toContain('\u001B')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250)
  })

  it('gives the server and its findings as one JSON object', async () => {
    const { stdout } = await check(command(process.execPath, FAULTY, 'v1'), '--json')
    const { server, findings } = JSON.parse(stdout) as { server: unknown; findings: readonly unknown[] }
    expect(server).toEqual({ name: 'faulty-v1', version: '1.0.0', revision: '2025-11-25', era: 'legacy' })
    expect(findings[1]).toEqual({
      severity: 'error',
      rule: 'invalid-base64',
      message: 'The blob is no base64',
      subject: 'note:picture',
      evidence: '_9j_4A',
      spec: 'https://modelcontextprotocol.io/specification/2025-11-25/server/resources#security-considerations',
      advice: 'Encode bytes by RFC 4648 section 4: +, / and padding, no line breaks, no `data:` in front.',
    })
  })
})

describe('shelfmark check, as a command', { timeout: 60_000 }, () => {
  it.each<readonly [args: readonly string[], message: string]>([
    [[], 'check needs a server'],
    [['.', 'more'], 'check takes one server'],
    [['.', '--sample', '0'], '--sample takes a number of resources'],
    [['.', '--all', '--sample', '5'], '--all and --sample exclude each other'],
    [['.', '--deadline', 'soon'], '--deadline takes a number of seconds'],
    [['.', '--era', 'old'], '--era takes modern or legacy'],
  ])('is used wrongly with %j', async (args, message) => {
    const { code, stdout, stderr } = await check(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  it('fails when the server cannot be reached', async () => {
    const { code, stdout, stderr } = await check(command(process.execPath, '-e', 'process.exit(3)'))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^shelfmark: .*code 3/m)
  })

  it('ends without a word when nobody reads what it prints', async () => {
    const program = run([CLI, 'check', folder()], { read: false })
    program.child.stdout.destroy()
    const { code, stderr } = await program.ended
    expect([code, stderr]).toEqual([0, ''])
  })

  it('shows no token', async () => {
    const url = await endpoint(run([CLI, 'serve', `docs=${folder()}`, '--http', '0']))
    const { code, stdout, stderr } = await check(url, '--token', 'secret-token', '--json')
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain('secret-token')
  })
})
