import { PassThrough, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { base64Chunks } from '../../src/runtime/index.ts'
import { serveStdio } from '../../src/transports/stdio/index.ts'
import { envelope } from '../spec/engine.ts'

/** An output that takes one write and no more until it is told to. */
class Stalled extends Writable {
  #go: (() => void) | undefined
  #open = false
  lines = 0
  /** The end of what was written. */
  tail = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void) {
    const text = chunk.toString()
    this.lines += text.split('\n').length - 1
    this.tail = (this.tail + text).slice(-1000)
    if (this.#open) done()
    else this.#go = done
  }

  go() {
    this.#open = true
    this.#go?.()
  }
}

const read = (id: number | string, uri: string) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'resources/read', params: { _meta: envelope(), uri } })}\n`

const cancelled = (requestId: number | string) =>
  `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`

/** Bytes in memory that somebody still holds. */
function arrayBuffers(): number {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  return process.memoryUsage().arrayBuffers
}

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

  it('serveStdio() reads no further although what waits to leave was cancelled', async () => {
    let reads = 0
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => {
      reads++
      return new Uint8Array(3)
    })
    const input = new PassThrough()
    const output = new Stalled()
    const server = await serveStdio(library, { input, output })
    input.write(read('first', 'x:1'))
    await pause(20)
    for (let i = 0; i < 100; i++) {
      // The answer repeats the id.
      const id = `${i}`.padStart(100_000, 'n')
      input.write(read(id, 'x:1'))
      await pause(2)
      input.write(cancelled(id))
    }
    expect(reads).toBeLessThan(60)
    output.go()
    input.write(read('last', 'x:1'))
    // A read that waited with its cancellation may be answered before that is looked at.
    await expect.poll(() => output.tail).toContain('"id":"last"')
    await server.close()
  })

  it('serveStdio() keeps no bytes of answers that were cancelled before they could leave', async () => {
    let reads = 0
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => {
      reads++
      return new Uint8Array(1_000_000)
    })
    const input = new PassThrough()
    const output = new Stalled()
    const server = await serveStdio(library, { input, output })
    input.write(read('first', 'x:1'))
    await pause(20)
    const before = arrayBuffers()
    for (let id = 0; id < 100; id++) {
      input.write(read(id, 'x:1'))
      await pause(1)
      input.write(cancelled(id))
    }
    await expect.poll(() => reads).toBe(101)
    await expect.poll(() => arrayBuffers() - before).toBeLessThan(20_000_000)
    output.go()
    await server.close()
  })

  it('serveStdio() ends although nobody reads and nobody answers', async () => {
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
    input.end()
    await server.closed
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

  it('serveStdio() gives standard output back when SHELFMARK_KEY is too short, and disposes what it took', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('SHELFMARK_KEY', 'short')
    const before: unknown = Reflect.get(process.stdout, 'write')
    let disposed = false
    const library = createLibrary({ name: 'acme' }).mount({
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async () => Promise.reject(new Error('no')),
      [Symbol.asyncDispose]: async () => {
        disposed = true
      },
    })
    await expect(serveStdio(library)).rejects.toMatchObject({ code: 'invalid-option', details: { option: 'SHELFMARK_KEY' } })
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
