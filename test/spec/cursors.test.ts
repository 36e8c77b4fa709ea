import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { LOCAL } from '../../src/library/index.ts'
import { createSealer } from '../../src/runtime/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { openEngine } from '../../src/server/index.ts'
import { connect, Connection, envelope } from './engine.ts'
import { RecordingSink, settle } from './recording-sink.ts'

function numbered(count: number) {
  const library = createLibrary({ name: 'acme' })
  for (let i = 0; i < count; i++) {
    library.resource(`n:${i}`, () => '')
    library.template(`t${i}:{x}`, () => '')
  }
  return library
}

type Page = { resources: { uri: string }[]; nextCursor?: string }

async function page(connection: Connection, cursor?: string, method = 'resources/list') {
  return connection.modern(method, cursor === undefined ? {} : { cursor })
}

describe('a cursor', () => {
  it('leads through pages that double, to the end and not beyond', async () => {
    const connection = await connect(numbered(1400))
    const sizes: number[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    do {
      const result = (await page(connection, cursor))?.result as Page
      sizes.push(result.resources.length)
      for (const { uri } of result.resources) seen.add(uri)
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect(sizes).toEqual([200, 400, 800])
    expect(seen.size).toBe(1400)
  })

  it('is absent after an exact multiple of the page', async () => {
    const connection = await connect(numbered(100), { limits: { firstPage: 25, largestPage: 25 } })
    let cursor: string | undefined
    let pages = 0
    do {
      cursor = ((await page(connection, cursor))?.result as Page).nextCursor
      pages++
    } while (cursor !== undefined)
    expect(pages).toBe(4)
  })

  it('that is empty means the first page', async () => {
    const connection = await connect(numbered(3))
    expect(((await page(connection, ''))?.result as Page).resources).toHaveLength(3)
  })

  it.each(['legacy', 'modern'] as const)('that is invented, altered or of another list is -32602 in the %s era', async (era) => {
    const connection = await connect(numbered(3), { limits: { firstPage: 1 } })
    if (era === 'legacy') await connection.initialize()
    const ask = (method: string, params: Record<string, unknown>) =>
      era === 'legacy' ? connection.legacy(method, params) : connection.modern(method, params)
    const cursor = String((await ask('resources/list', {}))?.result?.['nextCursor'])
    const refused = { code: -32602, message: 'Invalid cursor' }
    expect((await ask('resources/list', { cursor: 'bogus' }))?.error).toEqual(refused)
    expect((await ask('resources/templates/list', { cursor }))?.error).toEqual(refused)
    for (let i = 0; i < cursor.length; i++) {
      const altered = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1)
      expect((await ask('resources/list', { cursor: altered }))?.error).toEqual(refused)
    }
    expect((await ask('resources/list', { cursor: `${cursor}=` }))?.error).toEqual(refused)
    expect((await ask('resources/list', { cursor: 7 }))?.error).toMatchObject({ code: -32602 })
    expect((await ask('resources/list', { cursor }))?.result).toBeDefined()
  })

  it('of another server instance, caller or time is -32602', async () => {
    const clock = createFakeClock()
    const sealer = createSealer('a secret of at least thirty-two characters')
    const engine = await openEngine(numbered(3), { sealer, clock, limits: { firstPage: 1, cursorTtlMs: 1000 } })
    const mine = new Connection(engine)
    const cursor = ((await page(mine))?.result as Page).nextCursor!
    const twin = await openEngine(numbered(3), { sealer, clock, limits: { firstPage: 1 } })
    expect((await page(new Connection(twin), cursor))?.result).toBeDefined()
    expect((await page(await connect(numbered(3)), cursor))?.error).toMatchObject({ code: -32602 })
    const sink = new RecordingSink()
    const other = engine.openPeer({ principal: { ...LOCAL, id: 'other', kind: 'authenticated' } })
    other.receive({ jsonrpc: '2.0', id: 1, method: 'resources/list', params: { _meta: envelope(), cursor } }, sink)
    await settle()
    expect(sink.responses[0]?.error).toMatchObject({ code: -32602 })
    clock.advance(1001)
    expect((await page(mine, cursor))?.error).toMatchObject({ code: -32602 })
  })
})

describe('a page', () => {
  it('is cut where its items would be too many bytes', async () => {
    const library = createLibrary({ name: 'acme' })
    for (let i = 0; i < 50; i++) library.resource(`n:${i}`, { description: 'x'.repeat(1000) }, () => '')
    const connection = await connect(library, { limits: { maxPageBytes: 10_000 } })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const result = (await page(connection, cursor))?.result as Page
      expect(JSON.stringify(result.resources).length).toBeLessThan(10_000)
      seen.push(...result.resources.map(({ uri }) => uri))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => `n:${i}`))
  })
})
