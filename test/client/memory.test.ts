import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { Provider } from '../../src/index.ts'
import { createLibrary } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'
import { all, failure, opened } from './opened-client.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Bytes in use when what is garbage has gone. */
function heap(): number {
  gc()
  return process.memoryUsage().heapUsed
}

/** A million resources that are nowhere but in their numbers. */
function million(): { readonly provider: Provider; readonly rows: () => number } {
  const MOST = 1_000_000
  let rows = 0
  const provider: Provider = {
    name: 'million',
    prefixes: ['n:'],
    list: async ({ after, limit }) => {
      const from = typeof after === 'number' ? after : 0
      const end = Math.min(MOST, from + limit)
      rows += end - from
      const items = Array.from({ length: end - from }, (_, i) => ({ uri: `n:${from + i}`, name: `${from + i}` }))
      return { items, ...(end < MOST && { next: end }) }
    },
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: uri.slice(2) }] }),
  }
  return { provider, rows: () => rows }
}

describe.each(['modern', 'legacy'] as const)('a client of a Library in memory (%s)', (era) => {
  it('reads texts, bytes, parts and what is unchanged', async () => {
    const bytes = new Uint8Array(100_000).map((_, i) => i)
    const source = memory({ name: 'm' })
    source.add({ uri: 'm:bytes', bytes })
    source.add({ uri: 'm:text', text: 'é' })
    const library = createLibrary({ name: 'l' }).mount(source)
    const { client, notices } = opened({ connect: () => connectMemory(library, { extended: true }) }, { era })
    expect((await all(client.list())).map(({ uri }) => uri)).toEqual(['m:bytes', 'm:text'])
    expect(await client.readBytes('m:bytes')).toEqual(bytes)
    const part = await client.read('m:bytes', { range: { offset: 99_990, length: 100 } })
    expect([part.range, part.contents[0]?.bytes]).toEqual([{ offset: 99_990, length: 10, total: 100_000 }, bytes.slice(99_990)])
    const { version } = await client.read('m:text')
    if (version !== undefined) expect(await client.read('m:text', { ifVersion: version })).toEqual({ kind: 'unchanged', version })
    expect(await failure(client.read('m:none'))).toBe('not-found: Resource not found')
    expect(notices).toEqual([])
  })

  it('watches a Library, and misses nothing of it', async () => {
    const source = memory({ name: 'm' })
    for (let i = 0; i < 300; i++) source.add({ uri: `m:${i}`, text: '0' })
    const library = createLibrary({ name: 'l' }).mount(source)
    // A legacy connection takes 256 URIs; the others are looked at.
    const { client } = opened({ connect: () => connectMemory(library) }, { era, pollMs: 500 })
    const watch = client.watch({ prefix: 'm:' })
    const told = new Set<string>()
    const reading = (async () => {
      for await (const event of watch) told.add('uri' in event ? `${event.uri}` : event.kind)
    })()
    await watch.ready
    for (let i = 0; i < 300; i++) source.update(`m:${i}`, { text: '1' })
    await expect.poll(() => told.size, { timeout: 10_000 }).toBe(300)
    source.add({ uri: 'm:new', text: '0' })
    await expect.poll(() => told.has('list'), { timeout: 10_000 }).toBe(true)
    source.update('m:new', { text: '1' })
    await expect.poll(() => told.has('m:new'), { timeout: 10_000 }).toBe(true)
    watch.close()
    await reading
    expect(client.subscriptions()).toEqual([])
  })

  it('begins a list of a million at once, and asks for no more than is wanted', async () => {
    const { provider, rows } = million()
    const library = createLibrary({ name: 'l' }).mount(provider)
    const { client } = opened({ connect: () => connectMemory(library) }, { era })
    const first: string[] = []
    for await (const { uri } of client.list()) if (first.push(uri) === 5) break
    expect(first).toEqual(['n:0', 'n:1', 'n:2', 'n:3', 'n:4'])
    expect(rows()).toBeLessThan(1_000)
    let count = 0
    const held: number[] = []
    for await (const { uri } of client.list()) {
      if (uri === `n:${count}`) count++
      if (count === 300_000 || count === 900_000) held.push(heap())
    }
    expect(count).toBe(1_000_000)
    // 600,000 items more are held by nothing: they would be 100 MB.
    expect(held[1]! - held[0]!).toBeLessThan(25e6)
  }, 120_000)
})
