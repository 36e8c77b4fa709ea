import { Client } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'

const library = () =>
  createLibrary({ name: 'acme' })
    .resource('a:text', { title: 'Text' }, () => 'text')
    .resource('a:bytes', () => Uint8Array.of(1, 2, 255))
    .template('t://{id}', { complete: { id: ['one', 'two'] } }, ({ id }) => id)

const about = { name: 'test', version: '1' }

const clients = {
  'v2 modern': () => new Client(about, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  'v2 legacy': () => new Client(about, { versionNegotiation: { mode: 'legacy' } }),
  'v2 on its own': () => new Client(about),
  v1: () => new FirstClient(about),
}

describe('connectMemory()', () => {
  it.each(Object.keys(clients) as (keyof typeof clients)[])('serves the official client %s', async (name) => {
    const client = clients[name]()
    const transport = connectMemory(library())
    await client.connect(transport)
    expect((await client.listResources()).resources.map((item) => item.uri)).toEqual(['a:text', 'a:bytes'])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      expect.objectContaining({ uriTemplate: 't://{id}' }),
    ])
    expect((await client.readResource({ uri: 'a:text' })).contents).toEqual([
      { uri: 'a:text', mimeType: 'text/plain', text: 'text' },
    ])
    expect((await client.readResource({ uri: 'a:bytes' })).contents).toEqual([
      { uri: 'a:bytes', mimeType: 'application/octet-stream', blob: 'AQL/' },
    ])
    expect((await client.readResource({ uri: 't://a%20b' })).contents).toEqual([
      { uri: 't://a%20b', mimeType: 'text/plain', text: 'a b' },
    ])
    const completed = await client.complete({
      ref: { type: 'ref/resource', uri: 't://{id}' },
      argument: { name: 'id', value: 'T' },
    })
    expect(completed.completion).toEqual({ values: ['two'], total: 1, hasMore: false })
    await expect(client.readResource({ uri: 'none:x' })).rejects.toThrow('Resource not found')
    await client.close()
  })

  it('refuses messages once it is closed, and leaves the Library open', async () => {
    const shelf = library()
    const transport = connectMemory(shelf)
    await transport.start()
    await transport.close()
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toMatchObject({ code: 'unavailable' })
    const client = clients.v1()
    await client.connect(connectMemory(shelf))
    expect((await client.listResources()).resources).toHaveLength(2)
    await client.close()
  })

  it('keeps parts and unchanged answers of the extension out of the cache of an official client', async () => {
    let reads = 0
    const hint = { ttlMs: 60_000, cacheScope: 'public' } as const
    const versioned = createLibrary({ name: 'acme' }).resource('a:1', { hint }, () => {
      reads++
      return { kind: 'contents', contents: [{ uri: 'a:1', text: 'abc' }], version: 'v1' }
    })
    const client = clients['v2 modern']()
    await client.connect(connectMemory(versioned, { extended: true }))
    const read = async (meta?: Record<string, unknown>) =>
      (await client.readResource({ uri: 'a:1', ...(meta && { _meta: meta }) })).contents
    const range = { 'dev.shelfmark/range': { offset: 1, length: 1 } }
    expect(await read(range)).toEqual([{ uri: 'a:1', blob: 'Yg==' }])
    expect(await read({ 'dev.shelfmark/version': 'v1' })).toEqual([])
    expect(await read({ 'dev.shelfmark/version': 'v0' })).toEqual([{ uri: 'a:1', text: 'abc' }])
    expect(await read()).toEqual([{ uri: 'a:1', text: 'abc' }])
    expect(reads).toBe(4)
    // The whole is kept, and given whatever is asked for: who asks for a part must look for the echo.
    expect(await read(range)).toEqual([{ uri: 'a:1', text: 'abc' }])
    expect(reads).toBe(4)
    await client.close()
  })
})
