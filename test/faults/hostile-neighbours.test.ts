import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openHub } from '../../src/client/index.ts'
import type { Hub } from '../../src/client/index.ts'
import { createLibrary, localCall } from '../../src/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'
import { connectStdio } from '../../src/transports/stdio/index.ts'
import { beside } from '../e2e/command-line.ts'
import { TELLS } from './wire.ts'

const NEIGHBOUR = beside('../faults/hostile-neighbour.mjs')
const HARMS = [
  'dies',
  'is killed',
  'is stopped',
  'says nothing',
  'floods notifications',
  'floods standard error',
  'writes garbage',
  'writes an endless line',
  'lists without end',
  'lists the same without end',
  'answers with what is wrong',
  'answers with very much',
]

const MIB = 1024 * 1024

/** How many reads of the good server there are time for. */
async function readsOf(hub: Hub, ms: number): Promise<number> {
  const end = performance.now() + ms
  let count = 0
  while (performance.now() < end) {
    const reading = await hub.read({ uri: 'good+g:1', maxBytes: 100 }, localCall())
    expect(reading).toMatchObject({ kind: 'contents', contents: [{ uri: 'good+g:1', text: 'good' }] })
    count++
    // A read of a Library in memory takes no turn of the event loop, and would let nothing else happen.
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  return count
}

/** What is listed, ten pages of it at most: that of a server without an end is not the point. */
async function listed(hub: Hub): Promise<ReadonlySet<string>> {
  const uris = new Set<string>()
  let after: Parameters<Hub['list']>[0]['after']
  for (let pages = 0; pages < 10; pages++) {
    const page = await hub.list({ limit: 1_000, ...(after !== undefined && { after }) }, localCall())
    for (const { uri } of page.items) uris.add(uri)
    if (page.next === undefined) break
    after = page.next
  }
  return uris
}

const childrenOfThis = (): readonly string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '')

describe.skipIf(!TELLS)('a Hub whose other server', () => {
  it.each(HARMS)('%s, serves what the good one has', { timeout: 60_000 }, async (harm) => {
    const library = createLibrary({ name: 'good' }).resource('g:1', () => 'good')
    const before = new Set(childrenOfThis())
    const hub = openHub({
      servers: {
        good: () => connectMemory(library),
        bad: () => connectStdio({ command: process.execPath, args: [NEIGHBOUR, harm], graceMs: 200 }),
      },
      client: { timeoutMs: 2_000, probeMs: 500 },
      listBudgetMs: 1_000,
    })
    let open = true
    const close = async (): Promise<void> => {
      if (open) await hub[Symbol.asyncDispose]()
      open = false
    }
    onTestFinished(close)
    const alone = await readsOf(hub, 300)
    const heap = process.memoryUsage()
    const reads: number[] = []
    const changes: string[] = []
    const watcher = await hub.watch((change) => changes.push(change.kind))
    for (let round = 0; round < 2; round++) {
      const list = listed(hub)
      const bad = hub.read({ uri: 'bad+n:1', maxBytes: 1_000 }, localCall()).catch((error: unknown) => error)
      reads.push(await readsOf(hub, 300))
      expect(await list).toContain('good+g:1')
      await bad
    }
    const now = process.memoryUsage()
    // On two processors the flood is made on one of them; whoever reads still gets a good part of the other.
    expect(Math.max(...reads)).toBeGreaterThan(alone / 20)
    expect(now.heapUsed + now.external - heap.heapUsed - heap.external).toBeLessThan(150 * MIB)
    library.updated('g:1')
    await watcher[Symbol.asyncDispose]()
    await close()
    await expect.poll(() => childrenOfThis().filter((pid) => !before.has(pid)), { timeout: 10_000 }).toEqual([])
  })
})
