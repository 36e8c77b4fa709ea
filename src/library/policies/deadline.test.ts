import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failure } from '../../../test/library/reading.ts'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { files } from '../../providers/files/index.ts'
import { memory } from '../../providers/memory/index.ts'
import { createFakeClock } from '../../testing/index.ts'
import { notFound } from '../../errors.ts'
import type { Call } from '../call.ts'
import { localCall } from '../call.ts'
import { definePolicy } from '../define-policy.ts'
import { createLibrary } from '../library.ts'
import type { ReadResult } from '../provider.ts'
import { access } from './access.ts'
import { deadline } from './deadline.ts'

const READ = { uri: 'x:1', maxBytes: 1_000_000 }

/** A read that ends when it is told to, in a Library with a deadline of a second. */
function slow(options: Parameters<typeof deadline>[0] = {}) {
  const clock = createFakeClock()
  const seen: { call?: Call; answer?: (result: ReadResult) => void; fail?: (error: unknown) => void } = {}
  const shelf = createLibrary({ name: 'acme' })
    .mount(memory({ name: 'm', resources: [{ uri: 'x:1', text: 'one' }] }))
    .use(deadline({ ms: 1000, clock, ...options }))
    .use(
      definePolicy({
        name: 'wait',
        around: async <T>(_step: unknown, call: Call) =>
          new Promise<T>((resolve, reject) => {
            seen.call = call
            seen.answer = resolve as (result: ReadResult) => void
            seen.fail = reject
          }),
      }),
    )
  return { clock, seen, shelf }
}

const streamed = (onDispose: () => void): ReadResult => ({
  kind: 'contents',
  contents: [{ uri: 'x:1', bytes: { size: 1, open: async function* () {} } }],
  [Symbol.asyncDispose]: async () => onDispose(),
})

describe('deadline()', () => {
  it('gives the caller `timeout` at its time, and fires the signal of the provider alone', async () => {
    const { clock, seen, shelf } = slow()
    const outer = localCall()
    const error = failure(shelf.read(READ, outer))
    const { signal } = seen.call!
    clock.advance(999)
    expect(signal.aborted).toBe(false)
    clock.advance(1)
    expect(await error).toMatchObject({ code: 'timeout', message: 'No answer within 1000 ms', details: { afterMs: 1000 } })
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBe(await error)
    expect(outer.signal.aborted).toBe(false)
  })

  it('gives a provider that asks for the signal too late one that has fired', async () => {
    const { clock, seen, shelf } = slow()
    const error = failure(shelf.read(READ, localCall()))
    clock.advance(1000)
    await error
    expect(seen.call!.signal.aborted).toBe(true)
  })

  it('is not extended by progress, which it passes on to those who want it', async () => {
    const { clock, seen, shelf } = slow()
    const told: number[] = []
    const error = failure(shelf.read(READ, { ...localCall(), progress: (done) => told.push(done) }))
    for (let i = 0; i < 10; i++) {
      seen.call!.progress?.(i, 10)
      clock.advance(100)
    }
    expect(await error).toMatchObject({ code: 'timeout' })
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    void failure(shelf.read(READ, localCall()))
    expect(seen.call).toMatchObject({ progress: undefined })
  })

  it('fires the signal of the provider when the caller gives up, also before the provider asks for it', async () => {
    const { seen, shelf } = slow()
    for (const early of [true, false]) {
      const caller = new AbortController()
      void failure(shelf.read(READ, localCall({ signal: caller.signal })))
      if (!early) expect(seen.call!.signal.aborted).toBe(false)
      caller.abort()
      expect(seen.call!.signal.aborted).toBe(true)
    }
  })

  it('disposes what comes too late, and lets an error that comes too late go', async () => {
    const { clock, seen, shelf } = slow()
    let disposed = 0
    for (const end of [() => seen.answer!(streamed(() => disposed++)), () => seen.fail!(new Error('late'))]) {
      const error = failure(shelf.read(READ, localCall()))
      clock.advance(1000)
      expect(await error).toMatchObject({ code: 'timeout' })
      end()
      await new Promise(setImmediate)
    }
    expect(disposed).toBe(1)
  })

  it('lets the caller alone give up a body that streams, and listens no longer than it is there', async () => {
    const { clock, seen, shelf } = slow()
    const caller = new AbortController()
    let disposed = 0
    for (const gives of [false, true]) {
      const answer = shelf.read(READ, localCall({ signal: caller.signal }))
      const { signal } = seen.call!
      seen.answer!(streamed(() => disposed++))
      const reading = await answer
      clock.advance(5000)
      expect(signal.aborted).toBe(false)
      expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
      if (gives) {
        caller.abort()
        expect(signal.aborted).toBe(true)
      }
      if (reading.kind === 'contents') await reading[Symbol.asyncDispose]?.()
      expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    }
    expect(disposed).toBe(2)
  })

  it('leaves no listener at a signal of the caller that outlives its requests', async () => {
    const { clock, seen, shelf } = slow()
    const caller = new AbortController()
    const ends = [
      () => seen.answer!({ kind: 'contents', contents: [] }),
      () => seen.fail!(new Error('no')),
      () => clock.advance(1000),
    ]
    for (const end of ends) {
      const outcome = shelf.read(READ, localCall({ signal: caller.signal })).catch(() => undefined)
      expect(seen.call!.signal.aborted).toBe(false)
      expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
      end()
      await outcome
      expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    }
  })

  it('gives the signal of the caller to a body that asks for one after the answer', async () => {
    const { seen, shelf } = slow()
    const outer = localCall()
    const answer = shelf.read(READ, outer)
    seen.answer!(streamed(() => undefined))
    await answer
    expect(seen.call!.signal).toBe(outer.signal)
  })

  it('holds for the operations that are named, and for all without names', async () => {
    const { clock, shelf } = slow({ operations: ['list'] })
    const settled: string[] = []
    void failure(shelf.read(READ, localCall())).then(() => settled.push('read'))
    const error = failure(shelf.list({ limit: 1 }, localCall()))
    clock.advance(100_000)
    expect(await error).toMatchObject({ code: 'timeout' })
    expect(settled).toEqual([])
    const all = slow()
    const errors = [
      all.shelf.read(READ, localCall()),
      all.shelf.list({ limit: 1 }, localCall()),
      all.shelf.templates({ limit: 1 }, localCall()),
      all.shelf.stat({ uri: 'x:1' }, localCall()),
      all.shelf.children({ uri: 'x:1', limit: 1 }, localCall()),
      all.shelf.complete({ template: 'x:1', variable: 'v', prefix: '', arguments: {}, limit: 1 }, localCall()),
    ].map(failure)
    all.clock.advance(1000)
    expect((await Promise.all(errors)).map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'timeout'))
  })

  it('has 30 seconds unless told otherwise, and refuses what is no time', async () => {
    const clock = createFakeClock()
    const shelf = createLibrary({ name: 'acme' })
      .resource('x:1', () => new Promise(() => undefined))
      .use(deadline({ clock }))
    const error = failure(shelf.read(READ, localCall()))
    clock.advance(30_000)
    expect(await error).toMatchObject({ details: { afterMs: 30_000 } })
    for (const ms of [0, -1, Number.NaN, Infinity, 2 ** 31]) {
      expect(() => deadline({ ms })).toThrow(expect.objectContaining({ code: 'invalid-option', details: { option: 'ms' } }))
    }
  })

  it('hands on what the caller may reach: a mount that nobody may see is not asked', async () => {
    let asked = 0
    const shelf = createLibrary({ name: 'acme' })
      .mount({
        name: 'hidden',
        prefixes: ['hidden:'],
        list: async () => {
          asked++
          throw new Error('out of order')
        },
        read: async ({ uri }) => {
          throw notFound(uri)
        },
      })
      .use(access({ rules: [{ allow: 'open:' }] }))
      .use(deadline())
    const page = await shelf.list({ limit: 10 }, localCall())
    expect(asked).toBe(0)
    expect(page.items).toEqual([])
    expect(page.notices ?? []).toEqual([])
  })
})

describe('deadline() frees', () => {
  it('the descriptor of a file that was opened too late', async () => {
    const tree = await temporaryTree({ 'a.bin': new Uint8Array(1_000_000).fill(255) })
    const clock = createFakeClock()
    let go!: () => void
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const stuck = definePolicy({
      name: 'stuck',
      around: async (_step, _call, next) => {
        const result = await next()
        await gate
        return result
      },
    })
    const provider = files({ root: tree.root, name: 'r' })
    const shelf = createLibrary({ name: 'acme' }).mount(stuck(provider)).use(deadline({ clock }))
    const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length
    await provider.stat!({ uri: 'file:///r/a.bin' }, localCall())
    const before = await descriptors()
    const error = failure(shelf.read({ uri: 'file:///r/a.bin', maxBytes: 2_000_000 }, localCall()))
    await expect.poll(descriptors).toBe(before + 1)
    clock.advance(30_000)
    expect(await error).toMatchObject({ code: 'timeout' })
    go()
    await expect.poll(descriptors).toBe(before)
  })

  it('the child and the connection of a provider that listens to its signal', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const clock = createFakeClock()
    let exit!: (signal: string | null) => void
    const exited = new Promise<string | null>((resolve) => {
      exit = resolve
    })
    const shelf = createLibrary({ name: 'acme' })
      .resource('x:child', ({ signal }) => {
        const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { signal, stdio: 'ignore' })
        program.on('exit', (_code, by) => exit(by))
        return new Promise((_resolve, reject) => {
          program.on('error', reject)
        })
      })
      .resource('x:connection', ({ signal }) => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
        signal.addEventListener('abort', () => socket.destroy())
        return new Promise(() => undefined)
      })
      .use(deadline({ clock }))
    const accepted = once(server, 'connection')
    const errors = [
      failure(shelf.read({ uri: 'x:child', maxBytes: 1 }, localCall())),
      failure(shelf.read({ uri: 'x:connection', maxBytes: 1 }, localCall())),
    ]
    const [peer] = (await accepted) as [ReturnType<typeof connect>]
    peer.resume()
    const closed = once(peer, 'close')
    clock.advance(30_000)
    expect((await Promise.all(errors)).map(({ code }) => code)).toEqual(['timeout', 'timeout'])
    await closed
    expect(await exited).toBe('SIGTERM')
  })
})
