import { truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, modern, MODERN, run } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'
import { connectV2 } from '../e2e/official-clients.ts'
import { descriptors } from './file-clients.ts'

/** More than the buffers of two sockets take. */
const LARGE = 32 * 1024 * 1024

describe.skipIf(process.platform !== 'linux')('a blob whose file becomes shorter while it is sent', () => {
  it('breaks the connection over HTTP, lets go of the file, and harms no other request', async () => {
    const root = folderOfTest()
    writeFileSync(join(root, 'large.zip'), Buffer.alloc(LARGE, 7))
    writeFileSync(join(root, 'good.md'), 'good')
    const server = run([CLI, 'serve', `docs=${root}`, '--http', '0', '--max-read', String(LARGE)])
    const url = new URL(await endpoint(server))
    const socket = connect(Number(url.port), url.hostname)
    const request = (name: string) => {
      const uri = `file:///docs/${name}`
      const body = JSON.stringify(modern(1, 'resources/read', { uri }))
      const head = [
        'POST /mcp HTTP/1.1',
        `Host: ${url.host}`,
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        `MCP-Protocol-Version: ${MODERN}`,
        'Mcp-Method: resources/read',
        `Mcp-Name: ${uri}`,
        `Content-Length: ${body.length}`,
      ]
      return `${head.join('\r\n')}\r\n\r\n${body}`
    }
    const pieces: Buffer[] = []
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => undefined)
    const begun = new Promise<void>((resolve) => {
      socket.on('data', (piece: Buffer) => {
        if (pieces.push(piece) > 1) return
        socket.pause()
        resolve()
      })
    })
    // Were the first answer not broken off, the second one would be taken for its rest.
    socket.write(request('large.zip') + request('good.md'))
    await begun
    await expect.poll(() => descriptors(server.child.pid, root)).toBe(1)
    truncateSync(join(root, 'large.zip'), 1_000)
    socket.resume()
    await closed
    const answer = Buffer.concat(pieces)
    const promised = Number(/content-length: (\d+)/i.exec(answer.toString('latin1', 0, 500))?.[1])
    expect(promised).toBeGreaterThan((LARGE / 3) * 4)
    expect(answer.lastIndexOf('HTTP/1.1 200')).toBe(0)
    const received = answer.length - answer.indexOf('\r\n\r\n') - 4
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(promised)
    await expect.poll(() => descriptors(server.child.pid, root)).toBe(0)

    const client = await connectV2({ url: url.href }, { pin: MODERN })
    expect((await client.readResource({ uri: 'file:///docs/good.md' })).contents).toMatchObject([{ text: 'good' }])
    await client.close()
  })

  it('ends its line on stdio, says so in the next, lets go of the file, and harms no other request', async () => {
    const root = folderOfTest()
    writeFileSync(join(root, 'large.zip'), Buffer.alloc(5 * 1024 * 1024, 7))
    writeFileSync(join(root, 'good.md'), 'good')
    const server = run([CLI, 'serve', `docs=${root}`], { read: false })
    server.send(modern(1, 'resources/read', { uri: 'file:///docs/large.zip' }))
    // A pipe takes 64 KiB; the rest waits for a reader.
    await expect.poll(() => server.child.stdout.readableLength).toBeGreaterThan(0)
    await pause(100)
    expect(descriptors(server.child.pid, root)).toBe(1)
    truncateSync(join(root, 'large.zip'), 1_000)
    server.read()
    server.send(modern(2, 'resources/read', { uri: 'file:///docs/good.md' }))
    const [broken = '', ...rest] = await server.until(({ stdout }) => {
      const lines = stdout.split('\n').slice(0, -1)
      return lines.length === 3 ? lines : undefined
    })
    expect(broken.slice(0, 30)).toBe('{"jsonrpc":"2.0","id":1,"resul')
    expect(() => JSON.parse(broken) as unknown).toThrow(SyntaxError)
    const messages = rest.map((line) => JSON.parse(line) as Wire)
    expect(messages.find(({ id }) => id === 1)?.error).toMatchObject({ code: 10503 })
    expect(messages.find(({ id }) => id === 2)?.result).toMatchObject({ contents: [{ text: 'good' }] })
    await expect.poll(() => descriptors(server.child.pid, root)).toBe(0)
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})
