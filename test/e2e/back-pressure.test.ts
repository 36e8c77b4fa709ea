import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, folderOfTest, modern, run } from './command-line.ts'
import type { Program } from './command-line.ts'

const MIB = 1024 * 1024

/** Resident memory of another process, in MiB. Linux tells it. */
function memoryOf(program: Program): number {
  const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** Counts answers by id and their bytes, without keeping them. */
function drain(program: Program): { readonly ids: Set<number>; bytes: number } {
  const seen = { ids: new Set<number>(), bytes: 0 }
  let head = ''
  program.child.stdout.on('data', (text: string) => {
    seen.bytes += text.length
    // The id stands in the first characters of a line.
    const parts = text.split('\n')
    parts.forEach((part, index) => {
      if (index > 0) head = ''
      if (head.length < 60) head += part.slice(0, 60)
      const id = /^\{"jsonrpc":"2.0","id":(\d+),/.exec(head)?.[1]
      if (id !== undefined) seen.ids.add(Number(id))
    })
  })
  return seen
}

describe.skipIf(!existsSync('/proc/self/status'))('a client on stdio that asks and does not read', () => {
  it.each([
    ['text', 'big.txt', Buffer.alloc(MIB, 'x'), MIB, 300, 320],
    ['blobs', 'big.bin', Buffer.alloc(MIB, 7), Math.ceil(MIB / 3) * 4, 100, 120],
  ])('waits itself, for %s, and gets everything when it reads on', async (_kind, name, body, wire, requests, bound) => {
    const root = folderOfTest()
    writeFileSync(join(root, name), body)
    const server = run([CLI, 'serve', `docs=${root}`], { read: false })
    for (let id = 0; id < requests; id++) server.send(modern(id, 'resources/read', { uri: `file:///docs/${name}` }))
    let most = 0
    for (let i = 0; i < 15; i++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 100)
      })
      most = Math.max(most, memoryOf(server))
    }
    // All texts together are 300 MiB and are held several times over: 64 of them at once are not.
    expect(most).toBeLessThan(bound)
    const seen = drain(server)
    await expect.poll(() => seen.ids.size, { timeout: 15_000 }).toBe(requests)
    await expect.poll(() => seen.bytes, { timeout: 15_000 }).toBeGreaterThan(requests * wire)
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})
