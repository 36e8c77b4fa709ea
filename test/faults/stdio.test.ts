import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { base64Chunks } from '../../src/runtime/index.ts'
import { serveStdio } from '../../src/transports/stdio/index.ts'
import { envelope } from '../spec/engine.ts'

function pause(ms: number) {
  return new Promise<void>((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** An output that takes one write and no more until it is told to. */
class Stalled extends Writable {
  #go: (() => void) | undefined
  #open = false
  lines = 0

  override _write(chunk: Buffer, _encoding: string, done: () => void) {
    this.lines += chunk.toString().split('\n').length - 1
    if (this.#open) done()
    else this.#go = done
  }

  go() {
    this.#open = true
    this.#go?.()
  }
}

const read = (id: number, uri: string) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'resources/read', params: { _meta: envelope(), uri } })}\n`

describe('serveStdio()', () => {
  it('serveStdio() reads no further than a client reads, and goes on when it does', async () => {
    let reads = 0
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => {
      reads++
      return 'y'.repeat(100_000)
    })
    const input = new PassThrough()
    const output = new Stalled()
    const server = await serveStdio(library, { input, output })
    for (let id = 0; id < 400; id++) {
      input.write(read(id, 'x:1'))
      if (id % 10 === 0) await pause(1)
    }
    await pause(20)
    expect(reads).toBeLessThan(100)
    output.go()
    while (output.lines < 400) await pause(5)
    expect(reads).toBe(400)
    await server.close()
  })

  it('serveStdio() ends within a second although nobody reads and nobody answers', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('x:never', () => new Promise(() => {}))
      .resource('x:1', () => 'y'.repeat(5_000_000))
      .mount({
        name: 'stuck',
        prefixes: ['stuck:'],
        list: async () => ({ items: [] }),
        read: async () => Promise.reject(new Error('no')),
        watch: () => new Promise(() => {}),
        [Symbol.asyncDispose]: () => new Promise(() => {}),
      })
    const input = new PassThrough()
    const server = await serveStdio(library, { input, output: new Stalled() })
    const params = { _meta: envelope(), notifications: { resourcesListChanged: true } }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'subscriptions/listen', params })}\n`)
    for (let id = 1; id < 5; id++) input.write(read(id, 'x:1'))
    input.write(read(9, 'x:never'))
    await pause(20)
    const begun = performance.now()
    input.end()
    await server.closed
    expect(performance.now() - begun).toBeLessThan(1_000)
  })

  it('serveStdio() gives standard output back when it cannot start, and disposes what it took', async () => {
    const before: unknown = Reflect.get(process.stdout, 'write')
    let disposed = false
    const library = createLibrary({ name: 'acme' }).mount({
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async () => Promise.reject(new Error('no')),
      start: async () => Promise.reject(new Error('cannot start')),
      [Symbol.asyncDispose]: async () => {
        disposed = true
      },
    })
    await expect(serveStdio(library)).rejects.toThrow('cannot start')
    expect([Reflect.get(process.stdout, 'write') === before, disposed]).toEqual([true, true])
  })
})

describe('base64Chunks()', () => {
  it('base64Chunks() gives up on a source that gives no bytes', async () => {
    const source = {
      size: 6,
      async *open() {
        yield Uint8Array.of(1, 2, 3)
        await new Promise(() => {})
      },
    }
    const chunks = base64Chunks(source, 20)
    expect(String((await chunks.next()).value)).toBe('AQID')
    await expect(chunks.next()).rejects.toMatchObject({ code: 'timeout', details: { afterMs: 20 } })
  })

  it('base64Chunks() lets go of a source that nobody reads to its end', async () => {
    let left = false
    const source = {
      size: 9,
      async *open() {
        try {
          yield Uint8Array.of(1, 2, 3)
          yield Uint8Array.of(1, 2, 3)
        } finally {
          left = true
        }
      },
    }
    for await (const chunk of base64Chunks(source)) {
      expect(String(chunk)).toBe('AQID')
      break
    }
    expect(left).toBe(true)
  })
})
