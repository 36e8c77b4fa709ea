import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'
import { envelope } from '../spec/engine.ts'
import { settle } from '../spec/recording-sink.ts'

describe('connectMemory()', () => {
  it('connectMemory() answers a read whose bytes run out half-way with an error', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('x:1', () => 'one')
      .resource('x:bytes', () => ({
        kind: 'contents',
        contents: [
          {
            uri: 'x:bytes',
            bytes: {
              size: 6,
              async *open() {
                yield Uint8Array.of(1, 2, 3)
                throw new Error('disk')
              },
            },
          },
        ],
      }))
    const client = connectMemory(library, { onError: () => undefined })
    const got: unknown[] = []
    Object.assign(client, { onmessage: (message: unknown) => got.push(message) })
    const read = (id: number, uri: string) =>
      client.send({ jsonrpc: '2.0', id, method: 'resources/read', params: { _meta: envelope(), uri } })
    await read(1, 'x:bytes')
    await read(2, 'x:1')
    await settle()
    expect(got).toMatchObject([{ id: 2 }, { id: 1, error: { code: -32603, message: 'Internal error' } }])
    await client.close()
  })

  it('connectMemory() closes although the Library did not start', async () => {
    const library = createLibrary({ name: 'acme' }).mount({
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async () => Promise.reject(new Error('no')),
      start: async () => Promise.reject(new Error('cannot start')),
    })
    const client = connectMemory(library)
    await expect(client.start()).rejects.toThrow('cannot start')
    await expect(client.close()).resolves.toBe(undefined)
  })
})
