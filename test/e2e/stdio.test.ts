import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beside, CLI, folderOfTest, modern, opening, run } from './command-line.ts'

const FIXTURE = beside('fixture-server.mjs')

function folderWith(files: Record<string, string>): string {
  const root = folderOfTest()
  mkdirSync(root, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return root
}

describe('standard output', () => {
  it('holds messages alone, whatever a handler prints', async () => {
    const server = run([FIXTURE])
    server.send(
      ...opening(1),
      modern(2, 'resources/read', { uri: 'do:print/stray' }),
      modern(3, 'resources/read', { uri: 'note:a' }),
    )
    await server.answer(3)
    server.child.stdin.end()
    const { code, stdout, stderr } = await server.ended
    const lines = stdout.split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual(['2.0', '2.0', '2.0'])
    expect(stderr.match(/stray/g)).toHaveLength(4)
    expect(code).toBe(0)
  })

  it('of the serve command holds one line for each answer', async () => {
    const server = run([CLI, 'serve', folderWith({ 'a.md': 'line\nline\u2028line\r\n' })])
    server.send(...opening(1), { jsonrpc: '2.0', id: 2, method: 'resources/list' }, 'not JSON', '', {
      jsonrpc: '2.0',
      id: 3,
      method: 'ping',
    })
    await server.answer(3)
    server.child.stdin.end()
    const { stdout, stderr } = await server.ended
    expect(stdout.split('\n')).toHaveLength(5)
    expect(new Set(server.messages.map(({ id, error }) => id ?? error?.code))).toEqual(new Set([1, -32700, 3, 2]))
    expect(stderr).toBe('')
  })
})

describe('the end of standard input', () => {
  it('ends the process with exit code 0', async () => {
    const server = run([CLI, 'serve', folderWith({ 'a.md': 'a' })])
    server.send(...opening(1), modern(2, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }))
    await server.answer(1)
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  it('leaves requests that came just before it their answers', async () => {
    const server = run([CLI, 'serve', `docs=${folderWith({ 'a.md': 'a' })}`])
    server.send(
      ...opening(1),
      { jsonrpc: '2.0', id: 2, method: 'resources/list' },
      { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'file:///docs/a.md' } },
    )
    // The last line has no newline.
    server.child.stdin.end(JSON.stringify(modern(4, 'resources/read', { uri: 'file:///docs/a.md' })))
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(new Set(server.messages.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]))
    expect(server.messages.find(({ id }) => id === 4)?.result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('leaves a whole batch its answers, more than the output holds at once', async () => {
    const server = run([CLI, 'serve', `docs=${folderWith({ 'a.md': 'a'.repeat(20_000) })}`])
    const reads = Array.from({ length: 300 }, (_, i) => modern(i + 2, 'resources/read', { uri: 'file:///docs/a.md' }))
    server.send(...opening(1), ...reads)
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(new Set(server.messages.map(({ id }) => id)).size).toBe(301)
  })

  it('leaves requests that are answered one after another their answers, however long all of them take', async () => {
    const server = run([FIXTURE])
    server.send(modern(1, 'resources/read', { uri: 'note:a' }))
    await server.answer(1)
    for (const [id, ms] of [150, 300, 450, 600, 750, 900].entries())
      server.send(modern(id + 2, 'resources/read', { uri: `slow:${ms}` }))
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(server.messages.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it('waits for a slow answer, though not for long', async () => {
    const server = run([FIXTURE])
    server.send(modern(1, 'resources/read', { uri: 'note:a' }))
    await server.answer(1)
    server.send(modern(2, 'resources/read', { uri: 'slow:200' }), modern(3, 'resources/read', { uri: 'slow:60000' }))
    const start = performance.now()
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(performance.now() - start).toBeLessThan(15_000)
    expect(server.messages.map(({ id }) => id)).toEqual([1, 2])
  })
})

describe('a message over the limit', () => {
  it('is refused with its size and the limit, and the next one is answered', async () => {
    const server = run([CLI, 'serve', `docs=${folderWith({ 'a.md': 'a' })}`])
    const limit = 9.5 * 1024 * 1024
    const long = JSON.stringify(modern(1, 'resources/read', { uri: `file:///docs/${'x'.repeat(limit)}` }))
    server.send(long, modern(2, 'resources/read', { uri: 'file:///docs/a.md' }))
    await server.answer(2)
    expect(server.messages[0]).toEqual({
      jsonrpc: '2.0',
      error: {
        code: 10413,
        message: `A message of ${long.length} bytes is too large; the limit is 9961472`,
        data: { size: long.length, limit: 9_961_472 },
      },
    })
    expect(server.messages[1]?.result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('is answered with its size and the limit when it is an answer', async () => {
    const server = run([CLI, 'serve', `docs=${folderWith({ 'big.txt': '\u0001'.repeat(2_000_000), 'a.md': 'a' })}`])
    // Each of these characters takes six bytes as JSON.
    server.send(
      modern(1, 'resources/read', { uri: 'file:///docs/big.txt' }),
      modern(2, 'resources/read', { uri: 'file:///docs/a.md' }),
    )
    expect((await server.answer(1)).error).toMatchObject({ code: 10413, data: { limit: 9_961_472 } })
    expect((await server.answer(2)).result).toMatchObject({ contents: [{ text: 'a' }] })
  })
})

describe('SIGTERM', () => {
  it('ends an open listen stream with its result, and the process with code 0', async () => {
    const server = run([CLI, 'serve', folderWith({ 'a.md': 'a' })])
    server.send(modern(5, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }))
    await server.until(({ messages }) => messages[0])
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(server.messages.map(({ id, method }) => id ?? method)).toEqual(['notifications/subscriptions/acknowledged', 5])
    expect(server.messages[1]?.result).toMatchObject({ resultType: 'complete' })
  })
})
