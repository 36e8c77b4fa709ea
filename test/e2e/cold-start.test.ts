import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  })

  it('of `serve` on stdio loads at most 40 files before its first answers', async () => {
    const program = run([...COUNTED, 'serve', `docs=${folder()}`])
    program.send(modern(1, 'resources/list'), modern(2, 'resources/read', { uri: 'file:///docs/a.md' }))
    expect((await program.answer(2)).result).toMatchObject({ contents: [{ text: '# A\n' }] })
    await program.answer(1)
    expect(loaded(program)[0]).toMatch(/\/dist\/bin\/shelfmark\.js$/)
    expect(loaded(program).length).toBeLessThanOrEqual(40)
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

  it('of `--version` loads no command', async () => {
    const program = run([...COUNTED, '--version'])
    expect(await program.ended).toMatchObject({ code: 0 })
    expect(loaded(program).map((url) => url.slice(url.lastIndexOf('/') + 1))).toEqual(['shelfmark.js'])
  })
})
