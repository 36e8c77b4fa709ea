import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openGuarded } from './authorization-server.ts'
import { CLI, endpoint, folderOfTest, Program, run } from './command-line.ts'

describe('`shelfmark` on a server that wants a login', () => {
  it('says on one line what to do where there is nobody to log in', async () => {
    const guarded = await openGuarded()
    const env = { ...process.env, XDG_CONFIG_HOME: folderOfTest() }
    const { code, stdout, stderr } = await run([CLI, 'ls', guarded.url], { env }).ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`shelfmark: ${guarded.origin} wants a login: run this once in a terminal, or give a token with --token\n`)
  })

  it('sends a token, from the environment too, and tries no login when it is refused', async () => {
    const guarded = await openGuarded()
    const env = { ...process.env, XDG_CONFIG_HOME: folderOfTest(), CATALOGUE: 'good' }
    guarded.tokens.set('good', '')
    const good = await run([CLI, 'ls', guarded.url, '--token', 'env:CATALOGUE'], { env }).ended
    expect([good.code, good.stderr]).toEqual([0, ''])
    const bad = await run([CLI, 'ls', guarded.url, '--token', 'bad'], { env }).ended
    expect([bad.code, bad.stderr]).toEqual([1, `shelfmark: ${guarded.origin} needs authorization: log in, or give it a token\n`])
    expect(guarded.asked).toEqual([])
  })

  it('asks for a token where the server takes no other', async () => {
    const file = join(folderOfTest(), 'tokens.txt')
    await run([CLI, 'token', 'ann', '--file', file]).ended
    const server = new Program([CLI, 'serve', folderOfTest(), '--http', '0', '--tokens', file])
    onTestFinished(() => server.stop())
    const url = await endpoint(server)
    const env = { ...process.env, XDG_CONFIG_HOME: folderOfTest() }
    const { code, stderr } = await run([CLI, 'ls', url], { env }).ended
    expect([code, stderr]).toEqual([
      1,
      'shelfmark: The login failed: this program cannot be registered there (HTTP 404); give a token instead\n',
    ])
  })
})
