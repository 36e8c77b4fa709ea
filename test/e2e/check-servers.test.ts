import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { check, rulesOf } from './checking.ts'
import { beside, folderOfTest, run, freePort } from './command-line.ts'

const PEERS = beside('../peers/node_modules')
const installed = existsSync(`${PEERS}/tmcp`)
const made = (name: string): string => beside(`../peers/servers/${name}.mjs`)
const official = (name: string): string => `${PEERS}/@modelcontextprotocol/server-${name}/dist/index.js`
const command = (...words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

/** Starts a program at a free port, which it takes from the environment or where `PORT` stands, and gives its origin. */
async function listening(...args: readonly string[]): Promise<string> {
  const port = await freePort()
  run(
    args.map((arg) => (arg === 'PORT' ? `${port}` : arg)),
    { env: { ...process.env, PORT: `${port}` } },
  )
  const origin = `http://127.0.0.1:${port}`
  const answers = (): Promise<boolean> =>
    fetch(origin).then(
      () => true,
      () => false,
    )
  await expect.poll(answers, { timeout: 10_000 }).toBe(true)
  return origin
}

/**
 * Servers that other people wrote, as they are published. Every line is a true fault by the sentence that its rule
 * cites; one that comes or goes with a new version of a server has to be looked at again.
 */
describe.skipIf(!installed)(
  'shelfmark check, of published servers (npm run conformance installs them)',
  { timeout: 60_000 },
  () => {
    it('finds the code of server-everything for what is absent', async () => {
      expect(await rulesOf(command(process.execPath, official('everything')))).toEqual([
        // Before 2026-07-28 it is -32002 (server/resources, Error Handling); the SDK throws InvalidParams.
        'warning not-found-code demo://resource/static/document/architecture.md-*',
      ])
    })

    it('finds that server-everything guards its HTTP endpoint against no web page', async () => {
      const origin = await listening(official('everything'), 'streamableHttp')
      expect(await rulesOf(`${origin}/mcp`)).toEqual([
        // It answers 200 to any Origin, on this machine (basic/transports, Security Warning).
        'error origin-accepted http://127.0.0.1:PORT',
        // After DELETE it answers 400 where the session is over, and MUST answer 404 (Session Management).
        'error session-ended http://127.0.0.1:PORT',
        'warning not-found-code demo://resource/static/document/architecture.md-*',
        'info host-accepted http://127.0.0.1:PORT',
      ])
    })

    it('finds the deprecated transport of server-everything', async () => {
      const origin = await listening(official('everything'), 'sse')
      expect(await rulesOf(`${origin}/sse`)).toEqual([
        'warning not-found-code demo://resource/static/document/architecture.md-*',
        'info deprecated-transport http://127.0.0.1:PORT',
      ])
    })

    it('finds the code of server-memory for what is absent', async () => {
      const env = command('env', `MEMORY_FILE_PATH=${folderOfTest()}/memory.json`)
      expect(await rulesOf(`${env} ${command(process.execPath, official('memory'))}`)).toEqual([
        'warning not-found-code memory://knowledge-graph-*',
      ])
    })

    it('finds nothing wrong with server-filesystem, which has no resources', async () => {
      expect(await rulesOf(command(process.execPath, official('filesystem'), folderOfTest()))).toEqual([])
    })

    it('finds the code of FastMCP for what is absent', async () => {
      expect(await rulesOf(command(process.execPath, made('fastmcp'), 'stdio'))).toEqual([
        // -32601, method not found, for a resource that is not found.
        'warning not-found-code *:absent',
      ])
    })

    it('finds that FastMCP guards its HTTP endpoint against no web page', async () => {
      const origin = await listening(made('fastmcp'), 'http', 'PORT')
      expect(await rulesOf(`${origin}/mcp`)).toEqual([
        'error origin-accepted http://127.0.0.1:PORT',
        'warning not-found-code *:absent',
        'info host-accepted http://127.0.0.1:PORT',
      ])
    })

    it('finds nothing wrong with tmcp in the modern era on stdio, and its code for what is absent in the other', async () => {
      const server = command(process.execPath, made('tmcp'), 'stdio')
      expect(await rulesOf(server)).toEqual([])
      expect(await rulesOf(server, '--era', 'legacy')).toEqual(['warning not-found-code note://one-*'])
    })

    it('finds what tmcp does not guard over HTTP, in each era by its revision', async () => {
      const origin = await listening(made('tmcp'), 'http', 'PORT')
      expect(await rulesOf(`${origin}/mcp`)).toEqual([
        'error origin-accepted http://127.0.0.1:PORT',
        'info host-accepted http://127.0.0.1:PORT',
      ])
      expect(await rulesOf(`${origin}/mcp`, '--era', 'legacy')).toEqual([
        // It answers 200 to a version that never was, and to a session after its DELETE.
        'error version-header http://127.0.0.1:PORT',
        'error origin-accepted http://127.0.0.1:PORT',
        'error session-ended http://127.0.0.1:PORT',
        'warning not-found-code note://one-*',
        'info host-accepted http://127.0.0.1:PORT',
      ])
    })

    it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('finds nothing wrong with a careful server of %s', async (revision) => {
      const server = command(process.execPath, beside('older-server.mjs'), revision)
      expect(await rulesOf(server)).toEqual([])
      const { stdout } = await check(server, '--json')
      expect(JSON.parse(stdout)).toMatchObject({ server: { name: 'older', revision } })
    })
  },
)

describe('shelfmark check, of small official servers', { timeout: 60_000 }, () => {
  const OFFICIAL = beside('official-server.mjs')
  const url = async (...args: readonly string[]): Promise<string> => {
    const program = run([OFFICIAL, ...args])
    return program.until(({ stderr }) => /^http:\S+$/m.exec(stderr)?.[0])
  }

  it('judges the older line', async () => {
    expect(await rulesOf(command(process.execPath, OFFICIAL, 'v1'))).toEqual(['warning not-found-code note:a-*'])
    expect(await rulesOf(await url('v1', 'sse'))).toEqual([
      'warning not-found-code note:a-*',
      'info deprecated-transport http://127.0.0.1:PORT',
    ])
    expect(await rulesOf(await url('v1', 'session'))).toEqual([
      'error origin-accepted http://127.0.0.1:PORT',
      'warning not-found-code note:a-*',
      'info host-accepted http://127.0.0.1:PORT',
    ])
  })

  it('judges the newer line', async () => {
    expect(await rulesOf(command(process.execPath, OFFICIAL, 'v2'))).toEqual([
      // The version of each request counts (basic/versioning), and only that of the first is looked at.
      'error version-refusal resources/list',
    ])
    const both = await url('v2', 'http')
    expect(await rulesOf(both)).toEqual([
      'error origin-accepted http://127.0.0.1:PORT',
      'info host-accepted http://127.0.0.1:PORT',
    ])
    expect(await rulesOf(both, '--era', 'legacy')).toEqual([
      'error origin-accepted http://127.0.0.1:PORT',
      'warning not-found-code note:a-*',
      'info host-accepted http://127.0.0.1:PORT',
    ])
  })
})
