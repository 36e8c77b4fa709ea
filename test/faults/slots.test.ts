import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { concurrency, createLibrary } from '../../src/index.ts'
import type { Library } from '../../src/index.ts'
import { serveHttp } from '../../src/transports/http/index.ts'
import { serveStdio } from '../../src/transports/stdio/index.ts'
import { modern } from '../e2e/command-line.ts'

const SIZE = 4 * 1024 * 1024
const SLOTS = 4

/** A Library with few slots: a body that comes piece by piece, one that comes late, one that fails half-way. */
function shelf(): Library {
  const body = (failing: boolean) => ({
    size: SIZE,
    open: async function* () {
      for (let sent = 0; sent < SIZE; sent += 64 * 1024) {
        await pause(1)
        if (failing && sent > SIZE / 2) throw new Error('broken off')
        yield new Uint8Array(64 * 1024)
      }
    },
  })
  const reading = (uri: string, failing: boolean) => ({ kind: 'contents', contents: [{ uri, bytes: body(failing) }] })
  return createLibrary({ name: 'acme' })
    .resource('x:small', () => 'small')
    .resource('x:stream', () => reading('x:stream', false))
    .resource('x:broken', () => reading('x:broken', true))
    .resource('x:late', async () => {
      await pause(20)
      return 'late'
    })
    .resource('x:empty', () => ({ kind: 'contents', contents: [] }))
    .use(concurrency({ total: SLOTS, queue: 0 }))
}

const URIS = ['x:stream', 'x:late', 'x:broken', 'x:empty', 'x:small', 'x:none']

describe('concurrency() gets back every slot', () => {
  it('of clients over HTTP that go away at any time', async () => {
    const server = await serveHttp(shelf(), { port: 0, onError: () => undefined })
    onTestFinished(() => server.close())
    const read = (uri: string, signal?: AbortSignal): Promise<Response> =>
      fetch(server.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'resources/read',
          'mcp-name': uri,
        },
        body: JSON.stringify(modern(1, 'resources/read', { uri })),
        ...(signal && { signal }),
      })
    for (const uri of URIS) {
      for (const ms of [0, 1, 3, 10, 25]) {
        const gone = AbortSignal.timeout(ms)
        await Promise.all(
          Array.from({ length: SLOTS }, () =>
            read(uri, gone)
              .then((response) => response.text())
              .catch(() => undefined),
          ),
        )
      }
    }
    const all = async (): Promise<string> => {
      const answers = await Promise.all(Array.from({ length: SLOTS }, async () => (await read('x:late')).text()))
      return answers.filter((answer) => !answer.includes('"late"')).join()
    }
    await expect.poll(all, { timeout: 5000 }).toBe('')
  })

  it('of requests on stdio that are cancelled at any time', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const server = await serveStdio(shelf(), { input, output, onError: () => undefined })
    onTestFinished(() => server.close())
    let text = ''
    output.setEncoding('utf8').on('data', (piece: string) => {
      // Bodies are of no interest, and large.
      text = (text + piece.replaceAll(/A{100,}/g, '')).slice(-100_000)
    })
    const send = (message: object): void => void input.write(`${JSON.stringify(message)}\n`)
    let id = 0
    for (const uri of URIS) {
      for (const ms of [0, 1, 3, 10, 25]) {
        const ids = Array.from({ length: SLOTS }, () => ++id)
        for (const one of ids) send(modern(one, 'resources/read', { uri }))
        await pause(ms)
        for (const requestId of ids) send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
      }
    }
    const all = async (): Promise<number> => {
      const ids = Array.from({ length: SLOTS }, () => ++id)
      for (const one of ids) send(modern(one, 'resources/read', { uri: 'x:late' }))
      await pause(100)
      return ids.filter((one) => new RegExp(`"id":${one},"result":.*"late"`).test(text)).length
    }
    await expect.poll(all, { timeout: 10_000 }).toBe(SLOTS)
  })
})
