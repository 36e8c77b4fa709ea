import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { certificate, openssl } from './certificate.ts'
import { CLI, endpoint, folderOfTest, Program, run } from './command-line.ts'

const shelfmark = (...args: readonly string[]) => run([CLI, ...args]).ended

async function serve(root: string, ...more: readonly string[]): Promise<{ readonly url: string; readonly program: Program }> {
  const program = new Program([CLI, 'serve', `docs=${root}`, '--http', '0', ...more])
  onTestFinished(() => program.stop())
  return { url: await endpoint(program), program }
}

function folder(): { readonly root: string; readonly file: string } {
  const root = folderOfTest()
  writeFileSync(join(root, 'a.md'), 'one')
  return { root, file: join(folderOfTest(), 'tokens.txt') }
}

describe('`shelfmark token`', () => {
  it('prints a token once, and keeps its hash in a file that only the user may read', async () => {
    const { file } = folder()
    const first = await shelfmark('token', 'alice', '--file', file)
    const second = await shelfmark('token', 'bob', '--scope', 'read', '--file', file)
    expect([first.code, first.stderr, second.code]).toEqual([0, '', 0])
    expect(first.stdout).toMatch(/^shelfmark_[\w-]{43}\n$/)
    const kept = readFileSync(file, 'utf8')
    expect(kept).toMatch(/^alice sha256:[0-9a-f]{64}\n\nbob sha256:[0-9a-f]{64} read\n$/)
    expect(kept).not.toContain(first.stdout.slice(10, 40))
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  it.each([
    [['token'], 'token needs one name, for example: shelfmark token alice'],
    [['token', 'a b'], 'A name has letters, digits and . _ @ - and begins with one of the first two, got "a b"'],
    [['token', 'a', '--scope', 'x y'], '"x y" is no scope: it has a blank, a quote or another character that none may have'],
    [['serve', '.', '--tokens', 'x'], '--tokens is for serving over HTTP: add --http [host:]port'],
    [['serve', '.', '--http', '0', '--tls-key', 'x'], '--tls-cert and --tls-key go together'],
  ])('%j is wrong usage', async (args, message) => {
    expect(await shelfmark(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `shelfmark: ${message} (see shelfmark ${args[0]} --help)\n`,
    })
  })
})

describe('`shelfmark serve --http --tokens`', () => {
  it('serves who has a token of the file, and nobody once it is taken out', async () => {
    const { root, file } = folder()
    const token = (await shelfmark('token', 'alice', '--file', file)).stdout.trim()
    const { url } = await serve(root, '--tokens', file)
    expect((await fetch(url, { method: 'POST' })).status).toBe(415)
    const bare = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="shelfmark"'])
    expect((await shelfmark('read', url, 'file:///docs/a.md', '--token', token)).stdout).toBe('one')
    const other = await shelfmark('read', url, 'file:///docs/a.md', '--token', `${token}x`)
    expect([other.code, other.stdout, other.stderr.includes(token)]).toEqual([1, '', false])
    writeFileSync(file, '# nobody\n')
    await pause(1_100)
    expect((await shelfmark('read', url, 'file:///docs/a.md', '--token', token)).code).toBe(1)
  })

  it('keeps the tokens of before when the file becomes worse, and says so once', async () => {
    const { root, file } = folder()
    const token = (await shelfmark('token', 'alice', '--file', file)).stdout.trim()
    const { url, program } = await serve(root, '--tokens', file)
    writeFileSync(file, 'alice not a hash\n')
    for (let i = 0; i < 2; i++) {
      await pause(1_100)
      expect((await shelfmark('read', url, 'file:///docs/a.md', '--token', token)).stdout).toBe('one')
    }
    expect(program.stderr.split('\n').filter((line) => line.includes('line 1'))).toHaveLength(1)
  })

  it.each([
    ['is not there', () => undefined, 'cannot be read'],
    ['others may write to', (file: string) => (writeFileSync(file, ''), chmodSync(file, 0o666)), 'chmod go-w it'],
    ['has a mistake', (file: string) => writeFileSync(file, 'alice\n'), 'line 1: sha256:'],
  ])('does not start with a file that %s', async (_what, make, message) => {
    const { root, file } = folder()
    make(file)
    const { code, stderr } = await shelfmark('serve', root, '--http', '0', '--tokens', file)
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})

describe('`shelfmark serve --http` on an address that others can reach', () => {
  it('does not start without tokens, nor without TLS', async () => {
    const { root, file } = folder()
    await shelfmark('token', 'alice', '--file', file)
    expect((await shelfmark('serve', root, '--http', '0.0.0.0:0')).stderr).toContain(
      'who could read everything: give them tokens',
    )
    expect((await shelfmark('serve', root, '--http', '0.0.0.0:0', '--tokens', file)).stderr).toContain(
      'tokens would cross the network in the open',
    )
    const { url } = await serve(root, '--http', '0.0.0.0:0', '--tokens', file, '--behind-proxy')
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/mcp$/)
  })
})

describe.skipIf(!openssl)('`shelfmark serve --http --tls-cert --tls-key` (needs openssl to make a certificate)', () => {
  it('serves https, to who trusts the certificate and has a token', async () => {
    const { root, file } = folder()
    const token = (await shelfmark('token', 'alice', '--file', file)).stdout.trim()
    const { cert, key } = certificate()
    const { url } = await serve(root, '--tokens', file, '--tls-cert', cert, '--tls-key', key)
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/mcp$/)
    const untrusted = await shelfmark('ls', url, '--token', token)
    expect([untrusted.code, untrusted.stderr]).toEqual([1, expect.stringContaining('its certificate is not trusted')])
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert }
    expect((await run([CLI, 'ls', url, '--token', token], { env }).ended).stdout).toBe('file:///docs/a.md\n')
    expect((await run([CLI, 'ls', url], { env: { ...env, XDG_CONFIG_HOME: folderOfTest() } }).ended).code).toBe(1)
    const old = new Promise((resolve) => {
      request(url, { ca: readFileSync(cert), maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }, () => resolve('answered'))
        .on('error', () => resolve('refused'))
        .end()
    })
    expect(await old).toBe('refused')
  })

  it('does not start with a key that others may read, or that is of another certificate', async () => {
    const { root } = folder()
    const { cert, key } = certificate()
    const other = certificate()
    const start = (tlsKey: string) => shelfmark('serve', root, '--http', '0', '--tls-cert', cert, '--tls-key', tlsKey)
    expect((await start(other.key)).stderr).toContain('The certificate and key cannot be used')
    chmodSync(key, 0o644)
    expect((await start(key)).stderr).toContain('can be read by others: chmod 600 it')
  })
})
