import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { companyDocs } from '../../examples/jwt.ts'
import { openIssuer, seconds } from '../spec/issuer.ts'
import type { Issuer } from '../spec/issuer.ts'
import { CLI, endpoint, folderOfTest, freePort, Program, run } from './command-line.ts'

const shelfmark = (...args: readonly string[]) => run([CLI, ...args]).ended

/** What the official client may read, which knows the endpoint, and how to identify itself to the issuer. */
async function listed(url: string, issuer: Issuer): Promise<readonly string[]> {
  const authProvider = new ClientCredentialsProvider({
    clientId: 'nightly',
    clientSecret: 'secret',
    expectedIssuer: issuer.url,
  })
  const client = new Client({ name: 'nightly', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }))
  onTestFinished(() => client.close())
  return (await client.listResources()).resources.map(({ uri }) => uri)
}

describe('the company docs of docs/http.md', () => {
  it('tell the official client whose tokens they take, and show each what its claims allow', async () => {
    const issuer = await openIssuer()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    const server = await companyDocs(issuer.url, url, port)
    onTestFinished(() => server.close())
    expect(await listed(url, issuer)).toEqual(['handbook://holidays'])
    // The client asked for what the 401 named.
    expect(issuer.asked.filter((path) => path === '/token')).toHaveLength(1)
    issuer.claims = { groups: ['accounting'] }
    expect(await listed(url, issuer)).toEqual(['handbook://holidays', 'accounts://2026'])
    issuer.claims = { scope: 'other' }
    await expect(listed(url, issuer)).rejects.toThrow()
  })
})

describe('`shelfmark serve --http --jwt-issuer`', () => {
  async function serve(issuer: Issuer, ...more: readonly string[]) {
    const root = folderOfTest()
    writeFileSync(join(root, 'a.md'), 'one')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    const program = new Program([
      CLI,
      'serve',
      `docs=${root}`,
      '--http',
      String(port),
      '--jwt-issuer',
      issuer.url,
      '--public-url',
      url,
      ...more,
    ])
    onTestFinished(() => program.stop())
    await endpoint(program)
    return { url, program }
  }

  it('serves who has a token of the issuer for it, keeps up with its keys, and says nothing of the rest', async () => {
    const issuer = await openIssuer('RS256')
    const { url, program } = await serve(issuer, '--required-scope', 'read', '--required-scope', 'list')
    const read = (token: string) => shelfmark('read', url, 'file:///docs/a.md', '--token', token)
    const good = { aud: url, scope: 'list read' }
    expect((await read(await issuer.sign(good))).stdout).toBe('one')
    await issuer.rotate('second')
    // Keys were asked for a moment ago: the next question is when ten seconds are over.
    await expect.poll(async () => (await read(await issuer.sign(good))).stdout, { timeout: 30_000, interval: 1_000 }).toBe('one')
    expect((await read(await issuer.sign({ ...good, exp: seconds(-100) }))).code).toBe(1)
    expect((await read(await issuer.sign({ ...good, aud: 'https://docs.example.com/mcp' }))).code).toBe(1)
    expect((await read(await issuer.sign({ ...good, scope: 'read' }))).stderr).toContain('forbids this')
    expect(await listed(url, issuer)).toEqual(['file:///docs/a.md'])
    expect(program.stderr.split('\n')).toHaveLength(3)
  }, 60_000)

  it('takes tokens of a file beside those of an issuer that is not there', async () => {
    const issuer = await openIssuer()
    issuer.down = { status: 500 }
    const file = join(folderOfTest(), 'tokens.txt')
    const token = (await shelfmark('token', 'ci', '--file', file)).stdout.trim()
    const { url } = await serve(issuer, '--tokens', file, '--jwks', issuer.jwksUri, '--jwt-audience', 'docs')
    expect((await shelfmark('read', url, 'file:///docs/a.md', '--token', token)).stdout).toBe('one')
    const signed = await shelfmark('read', url, 'file:///docs/a.md', '--token', await issuer.sign({ aud: 'docs' }))
    expect([signed.code, signed.stderr]).toEqual([1, expect.stringContaining('answered 503')])
    expect(issuer.asked).toEqual(['/keys'])
  })

  it.each([
    [['--jwt-issuer', 'https://login.example'], 2, '--jwt-issuer wants --public-url'],
    [['--public-url', 'https://docs.example/mcp'], 2, '--public-url is about the tokens of --jwt-issuer <url>'],
    [['--jwks', 'https://login.example/keys'], 2, '--jwks is about the tokens of --jwt-issuer <url>'],
    [['--required-scope', 'read'], 2, '--required-scope is what tokens must have'],
    [['--jwt-issuer', 'login.example', '--public-url', 'https://docs.example/mcp'], 1, 'issuer takes a URL of https'],
    [['--jwt-issuer', 'https://login.example', '--public-url', 'docs.example'], 1, 'resource.url takes a URL of https'],
  ])('does not start with %j', async (args, code, message) => {
    const ended = await shelfmark('serve', folderOfTest(), '--http', '0', ...args)
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, '', expect.stringContaining(message)])
  })

  it('counts as authentication on an address that others can reach, which wants TLS then', async () => {
    const args = ['--jwt-issuer', 'https://login.example', '--public-url', 'https://docs.example/mcp']
    const { stderr } = await shelfmark('serve', folderOfTest(), '--http', '0.0.0.0:0', ...args)
    expect(stderr).toContain('tokens would cross the network in the open')
  })
})
