import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Program } from './command-line.ts'
import { beside, CLI, endpoint, folderOfTest, modern, MODERN, run } from './command-line.ts'

/** Files that node loaded as modules, each once, in order; modules of node itself do not count. */
function loaded(program: Program): readonly string[] {
  return [...new Set([...program.stderr.matchAll(/^loaded (file:\S+)$/gm)].map((match) => match[1] ?? ''))]
}

function folder(): string {
  const root = folderOfTest()
  mkdirSync(join(root, 'sub'))
  writeFileSync(join(root, 'a.md'), '# A\n')
  writeFileSync(join(root, 'sub', '.gitignore'), '*.log\n')
  return root
}

const COUNTED = ['--import', beside('count-modules.mjs'), CLI]

describe('a cold start', () => {
  it('counts what it loads', async () => {
    const program = run(['--import', beside('count-modules.mjs'), beside('fixture-server.mjs')])
    program.child.stdin.end()
    await program.ended
    // The library itself is not bundled: were these not seen, the tests below would prove nothing.
    expect(loaded(program).length).toBeGreaterThan(60)
    // A server needs nothing of what its clients are made of.
    expect(loaded(program).filter((url) => /\/node_modules\/(@modelcontextprotocol|jose)\//.test(url))).toEqual([])
  })

  it('of `serve` on stdio loads at most 40 files before its first answers', async () => {
    const program = run([...COUNTED, 'serve', `docs=${folder()}`])
    program.send(modern(1, 'resources/list'), modern(2, 'resources/read', { uri: 'file:///docs/a.md' }))
    expect((await program.answer(2)).result).toMatchObject({ contents: [{ text: '# A\n' }] })
    await program.answer(1)
    expect(loaded(program)[0]).toMatch(/\/dist\/bin\/shelfmark\.js$/)
    expect(loaded(program).length).toBeLessThanOrEqual(40)
  })

  it('of `serve` loads what it searches with for the first search', async () => {
    const program = run([...COUNTED, 'serve', `docs=${folder()}`])
    const searches = (): boolean =>
      loaded(program).some((url) => readFileSync(fileURLToPath(url), 'utf8').includes('class MiniSearch'))
    const tool = (id: number, name: string, args: object): object => modern(id, 'tools/call', { name, arguments: args })
    program.send(modern(1, 'tools/list'), tool(2, 'read_resource', { uri: 'file:///docs/a.md' }))
    expect((await program.answer(2)).result).toMatchObject({ content: [{ text: '# A\n' }] })
    await program.answer(1)
    expect(searches()).toBe(false)
    program.send(tool(3, 'find_resources', { query: 'a' }))
    expect((await program.answer(3)).result).not.toHaveProperty('isError')
    expect(searches()).toBe(true)
  })

  it('of `serve --http` loads at most 40 files before its first answer', async () => {
    const program = run([...COUNTED, 'serve', `docs=${folder()}`, '--http', '0'])
    const response = await fetch(await endpoint(program), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'mcp-protocol-version': MODERN,
        'mcp-method': 'resources/list',
      },
      body: JSON.stringify(modern(1, 'resources/list')),
    })
    expect(response.status).toBe(200)
    await response.text()
    expect(loaded(program).length).toBeLessThanOrEqual(40)
  })

  it('of `serve --http --jwt-issuer` loads what verifies tokens with the first one', async () => {
    const issuer = ['--jwt-issuer', 'https://login.example', '--public-url', 'https://docs.example/mcp']
    const program = run([...COUNTED, 'serve', `docs=${folder()}`, '--http', '0', ...issuer])
    const url = await endpoint(program)
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })).status
    const verifies = (): boolean => loaded(program).some((file) => file.endsWith('/verify.js'))
    expect([await ask({}), await ask({ authorization: 'Bearer x' }), verifies()]).toEqual([401, 401, false])
    expect(await ask({ authorization: 'Bearer e30.e30.x' })).toBe(401)
    await expect.poll(verifies).toBe(true)
  })

  it('of `serve` loads what reads a file of settings with `--config` alone', async () => {
    const root = folder()
    const file = join(folderOfTest(), 'shelfmark.yaml')
    writeFileSync(file, `mounts: ['docs=${root}']\n`)
    const plain = run([...COUNTED, 'serve', `docs=${root}`])
    const configured = run([...COUNTED, 'serve', '--config', file])
    for (const program of [plain, configured]) {
      program.send(modern(1, 'resources/read', { uri: 'file:///docs/a.md' }))
      expect((await program.answer(1)).result).toMatchObject({ contents: [{ text: '# A\n' }] })
    }
    const isOfConfig = (url: string): boolean => /\/(?:config|reloading|schemas)\.js$/.test(url)
    expect(loaded(plain).filter(isOfConfig)).toEqual([])
    expect(loaded(configured).filter(isOfConfig)).toHaveLength(3)
  })

  it('of `--version` loads no command', async () => {
    const program = run([...COUNTED, '--version'])
    expect(await program.ended).toMatchObject({ code: 0 })
    // Beside itself only what all commands have in common: the error, and text for a terminal.
    expect(loaded(program).map((url) => url.slice(url.lastIndexOf('/') + 1))).toEqual([
      'shelfmark.js',
      'errors.js',
      'printable.js',
    ])
  })
})
