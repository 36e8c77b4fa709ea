import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { serveStdio } from '../../src/transports/stdio/index.ts'

/** The lines that a server on stdio writes after an array of reads. */
async function answersTo(uris: readonly string[], failing: boolean) {
  let disposed = false
  const library = createLibrary({ name: 'acme' })
    .resource('x:text', () => 'text')
    .resource('x:bytes', () => ({
      kind: 'contents',
      contents: [
        {
          uri: 'x:bytes',
          bytes: {
            size: 6,
            async *open() {
              await new Promise((resolve) => {
                setTimeout(resolve, 5)
              })
              if (disposed || failing) throw new Error('gone')
              yield Uint8Array.of(1, 2, 3, 4, 5, 6)
            },
          },
        },
      ],
      [Symbol.asyncDispose]: async () => {
        disposed = true
      },
    }))
  const input = new PassThrough()
  const output = new PassThrough()
  const server = await serveStdio(library, { input, output, onError: () => undefined })
  const reads = uris.map((uri, id) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } }))
  const initialize = {
    jsonrpc: '2.0',
    id: 'i',
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {} },
  }
  input.end(`${JSON.stringify(initialize)}\n${JSON.stringify(reads)}\n`)
  await server.closed
  const lines = String(output.read())
    .split('\n')
    .filter((line) => line.startsWith('['))
  return { lines, disposed }
}

describe('collectBatch()', () => {
  it('collectBatch() keeps what bytes come from until the array is sent', async () => {
    const { lines, disposed } = await answersTo(['x:bytes', 'x:text'], false)
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toHaveLength(2)
    expect(JSON.parse(lines[0]!)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ id: 0, result: { contents: [{ uri: 'x:bytes', blob: 'AQIDBAUG' }] } }),
        expect.objectContaining({ id: 1, result: { contents: [{ uri: 'x:text', mimeType: 'text/plain', text: 'text' }] } }),
      ]),
    )
    expect(disposed).toBe(true)
  })

  it('collectBatch() answers all requests of an array whose bytes ran out half-way', async () => {
    const { lines, disposed } = await answersTo(['x:text', 'x:bytes', 'x:text'], true)
    expect(disposed).toBe(true)
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[1]!)).toMatchObject([
      { id: 0, result: { contents: [{ text: 'text' }] } },
      { id: 2, result: { contents: [{ text: 'text' }] } },
      { id: 1, error: { code: -32603, message: 'Internal error' } },
    ])
  })
})
