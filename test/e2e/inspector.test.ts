import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { beside, CLI, endpoint, folderOfTest, run } from './command-line.ts'

const INSPECTOR = beside('../peers/node_modules/@modelcontextprotocol/inspector')
const installed = existsSync(INSPECTOR)

describe.skipIf(!installed)('the Inspector, on the command line (npm run conformance installs it)', { timeout: 60_000 }, () => {
  let entry: string

  beforeAll(async () => {
    const { readFile } = await import('node:fs/promises')
    const { bin } = JSON.parse(await readFile(join(INSPECTOR, 'package.json'), 'utf8')) as { bin: Record<string, string> }
    entry = join(INSPECTOR, bin['mcp-inspector'] ?? '')
  })

  function folder(): string {
    const root = folderOfTest()
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'setup guide.md'), '# Guide\n')
    writeFileSync(join(root, 'sub', 'caf\u00e9.txt'), 'caf\u00e9')
    return root
  }

  /** What the Inspector prints for one method. It writes to the home folder, so it gets one of its own. */
  async function inspect(server: readonly string[], ...method: readonly string[]): Promise<unknown> {
    const home = folderOfTest()
    const args = [entry, '--cli', ...server, '--method', ...method]
    const { code, stdout, stderr } = await run(args, { env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home } }).ended
    if (code !== 0) throw new Error(`${code}: ${stderr}${stdout}`)
    return JSON.parse(stdout)
  }

  const LIST = {
    resources: [
      { uri: 'file:///docs/setup%20guide.md', name: 'setup guide.md', mimeType: 'text/markdown', size: 8 },
      { uri: 'file:///docs/sub/caf%C3%A9.txt', name: 'caf\u00e9.txt', mimeType: 'text/plain', size: 5 },
    ],
  }
  const READ = { contents: [{ uri: 'file:///docs/sub/caf%C3%A9.txt', mimeType: 'text/plain', text: 'caf\u00e9' }] }
  const URI = ['resources/read', '--uri', 'file:///docs/sub/caf%C3%A9.txt'] as const

  it('lists, and reads what it listed, on stdio', async () => {
    const server = [process.execPath, CLI, 'serve', `docs=${folder()}`]
    expect(await inspect(server, 'resources/list')).toMatchObject(LIST)
    expect(await inspect(server, 'resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'file:///docs/{+path}', name: 'docs' }],
    })
    expect(await inspect(server, ...URI)).toMatchObject(READ)
  })

  it('lists, and reads what it listed, over HTTP', async () => {
    const program = run([CLI, 'serve', `docs=${folder()}`, '--http', '0'])
    const server = [await endpoint(program), '--transport', 'http']
    expect(await inspect(server, 'resources/list')).toMatchObject(LIST)
    expect(await inspect(server, ...URI)).toMatchObject(READ)
  })
})
