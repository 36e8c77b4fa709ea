import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { serveStdio } from '../../src/transports/stdio/index.ts'

/** The lines that a server on stdio writes after an array of reads. */
async function answersTo(uris: readonly string[], failsAfter = 6) {
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
              if (disposed) throw new Error('disposed')
              yield Uint8Array.of(1, 2, 3, 4, 5, 6).subarray(0, failsAfter)
              if (failsAfter < 6) throw new Error('gone')
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
    const { lines, disposed } = await answersTo(['x:bytes', 'x:text'])
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

  it.each([
    ['half-way, in a second array', 3, 2],
    ['at once, in the only one', 0, 1],
  ])('collectBatch() answers all requests of an array whose bytes ran out %s', async (_when, failsAfter, arrays) => {
    const { lines, disposed } = await answersTo(['x:text', 'x:bytes', 'x:text'], failsAfter)
    expect(disposed).toBe(true)
    expect(lines).toHaveLength(arrays)
    expect(JSON.parse(lines.at(-1)!)).toMatchObject([
      { id: 0, result: { contents: [{ text: 'text' }] } },
      { id: 2, result: { contents: [{ text: 'text' }] } },
      { id: 1, error: { code: -32603, message: 'Internal error' } },
    ])
  })

  it('collectBatch() answers what was not cancelled, and nothing when all of an array was', async () => {
    const aborted: string[] = []
    const library = createLibrary({ name: 'acme' })
      .resource('x:text', () => 'text')
      .template('hang:{id}', ({ id }, { signal }) => {
        signal.addEventListener('abort', () => aborted.push(id))
        return new Promise(() => {})
      })
    const input = new PassThrough()
    const output = new PassThrough()
    const server = await serveStdio(library, { input, output, drainMs: 0 })
    const send = (message: unknown) => void input.write(`${JSON.stringify(message)}\n`)
    const read = (id: number, uri: string) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } })
    const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    const params = { protocolVersion: '2025-03-26', capabilities: {} }
    send({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    send([read(1, 'hang:1'), read(2, 'x:text'), read(3, 'hang:3')])
    send([read(4, 'hang:4'), read(5, 'hang:5')])
    for (const id of [1, 1, 4, 3, 5]) send(cancel(id))
    send(read(6, 'x:text'))
    await pause(50)
    await server.close()
    const lines = String(output.read()).trimEnd().split('\n')
    expect(lines.slice(1).map((line) => JSON.parse(line) as unknown)).toMatchObject([[{ id: 2 }], { id: 6 }])
    expect(aborted).toEqual(['1', '4', '3', '5'])
  })

  it('collectBatch() says nothing of what was cancelled when the bytes of an array ran out', async () => {
    let fail = (): void => undefined
    const library = createLibrary({ name: 'acme' })
      .resource('x:text', () => 'text')
      .resource('x:bytes', ({ uri }) => [
        {
          uri,
          bytes: {
            size: 6,
            async *open() {
              yield Uint8Array.of(1, 2, 3)
              await new Promise<void>((resolve) => {
                fail = resolve
              })
              throw new Error('gone')
            },
          },
        },
      ])
    const input = new PassThrough()
    const output = new PassThrough()
    const server = await serveStdio(library, { input, output, onError: () => undefined })
    const send = (message: unknown) => void input.write(`${JSON.stringify(message)}\n`)
    const read = (id: number, uri: string) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } })
    send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {} } })
    send([read(1, 'x:bytes'), read(2, 'x:text'), read(3, 'x:bytes')])
    await pause(20)
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } })
    await pause(5)
    fail()
    input.end()
    await server.closed
    const lines = String(output.read()).trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[2]!)).toMatchObject([{ id: 2 }, { id: 1, error: { code: -32603 } }])
  })
})
