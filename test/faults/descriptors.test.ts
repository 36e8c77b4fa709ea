import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, modern, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, bytesOf, descriptors, Line, settled, TELLS, ticks } from './wire.ts'

const LIMITS = TELLS && spawnSync('prlimit', ['--version']).status === 0

/** Sets how many descriptors a process may have. */
function limit({ child }: Program, count: number): void {
  execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${count}:20000`])
}

const A = 'file:///docs/a.md'
const BUSY = { code: 10_429, message: 'Too many files are open at once; try again', data: { retryAfterMs: 100 } }

function folder(): string {
  const path = folderOfTest()
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'a.md'), 'a')
  return `docs=${path}`
}

describe.skipIf(!LIMITS)('`shelfmark serve` without descriptors left', () => {
  it('neither ends nor turns in circles over HTTP, says that it is busy, and recovers by itself', async () => {
    const server = run([CLI, 'serve', folder(), '--http', '0'])
    const url = await endpoint(server)
    expect((await ask(url, readOf('modern', 1, A))).result).toBeDefined()
    const before = await settled(() => descriptors(server))
    const { stderr } = server
    limit(server, before + 30)
    const line = new Line(url)
    line.socket.write(bytesOf(url, readOf('modern', 1, A)))
    await line.answered(1)
    const sockets: Socket[] = []
    let closed = 0
    for (let i = 0; i < 300; i++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.on('close', () => closed++)
      sockets.push(socket)
    }
    // Those that it cannot have are closed, not left waiting.
    await expect.poll(() => closed).toBeGreaterThanOrEqual(270)
    await settled(() => closed)
    const begun = ticks(server)
    await pause(500)
    expect(ticks(server) - begun).toBeLessThan(25)
    line.socket.write(bytesOf(url, readOf('modern', 2, A)))
    await line.answered(2)
    expect(JSON.parse(line.responses[1]![1])).toEqual({ jsonrpc: '2.0', id: 2, error: BUSY })
    line.socket.write(bytesOf(url, modern(3, 'server/discover')))
    await line.answered(3)
    expect(line.responses[2]?.[0]).toBe(200)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => descriptors(server)).toBe(before + 1)
    expect((await ask(url, readOf('modern', 4, A))).result).toMatchObject({ contents: [{ text: 'a' }] })
    line.socket.destroy()
    await expect.poll(() => descriptors(server)).toBe(before)
    expect(server.stderr).toBe(stderr)
  })

  it('says on stdio that it is busy, and reads on as soon as it can', async () => {
    const server = run([CLI, 'serve', folder()])
    server.send(readOf('modern', 1, A))
    expect((await server.answer(1)).result).toBeDefined()
    limit(server, 3)
    server.send(readOf('modern', 2, A), modern(3, 'resources/directory/read', { uri: 'file:///docs' }))
    expect((await server.answer(2)).error).toEqual(BUSY)
    expect((await server.answer(3)).error).toEqual(BUSY)
    limit(server, 1_000)
    server.send(readOf('modern', 4, A))
    expect((await server.answer(4)).result).toMatchObject({ contents: [{ text: 'a' }] })
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })
})
