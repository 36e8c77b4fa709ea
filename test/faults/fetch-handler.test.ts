import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { createFetchHandler } from '../../src/transports/http/index.ts'
import { BOTH, code, events, handle, INITIALIZE, modern, ORIGIN, post, session, stream } from '../spec/http.ts'
import { settle } from '../spec/recording-sink.ts'

const URL = `${ORIGIN}/mcp`

/** A POST whose body is this stream. */
function upload(body: ReadableStream, headers: Record<string, string> = {}): Request {
  return new Request(URL, { method: 'POST', headers: { ...BOTH, ...headers }, body, duplex: 'half' } as RequestInit)
}

/** A provider that starts and ends as it is told. */
function provider(more: Partial<Provider> = {}): Provider {
  return {
    name: 'p',
    prefixes: ['p:'],
    list: async () => ({ items: [] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: 'p' }] }),
    ...more,
  }
}

describe('createFetchHandler() and bodies', () => {
  it('createFetchHandler() refuses a body at its limit, and takes no more of it', async () => {
    const { fetch } = await handle({ maxBody: 1_000 })
    let pulled = 0
    const endless = new ReadableStream(
      {
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(400).fill(32))
        },
      },
      { highWaterMark: 0 },
    )
    const response = await fetch(upload(endless))
    expect([response.status, await code(response)]).toEqual([413, 10_413])
    await settle()
    expect(pulled).toBe(3)
  })

  it('createFetchHandler() takes a body of the limit, whatever Content-Length says', async () => {
    const { fetch } = await handle({ maxBody: 1_000 })
    const text = JSON.stringify(INITIALIZE).padEnd(1_000)
    const bytes = new TextEncoder().encode(text)
    const single = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    expect((await fetch(upload(single, { 'content-length': '1e3' }))).status).toBe(200)
    const more = new Request(URL, { method: 'POST', headers: { ...BOTH, 'content-length': '0' }, body: `${text} ` })
    expect((await fetch(more)).status).toBe(413)
  })

  it('createFetchHandler() answers a body that breaks off, or that is not bytes, with 400', async () => {
    const { fetch } = await handle()
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    })
    const words = new ReadableStream({
      pull(controller) {
        controller.enqueue('')
        controller.enqueue(new TextEncoder().encode(JSON.stringify(INITIALIZE)))
        controller.close()
      },
    })
    for (const body of [broken, words]) {
      const response = await fetch(upload(body))
      expect([response.status, await code(response)]).toEqual([400, -32700])
    }
    const none = await fetch(new Request(URL, { method: 'POST', headers: BOTH }))
    expect([none.status, await code(none)]).toEqual([400, -32700])
  })

  it('createFetchHandler() gives up on a body that does not end', async () => {
    const clock = createFakeClock()
    const { fetch } = await handle({ clock })
    let cancelled = false
    const endless = new ReadableStream({
      cancel() {
        cancelled = true
      },
    })
    const answer = fetch(upload(endless))
    await settle()
    clock.advance(30_000)
    const response = await answer
    expect([response.status, await code(response), cancelled]).toEqual([408, 10_504, true])
  })

  it('createFetchHandler() reads no further when the client goes meanwhile', async () => {
    const server = await handle()
    let cancelled = false
    const leave = new AbortController()
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(JSON.stringify(INITIALIZE))),
      cancel() {
        cancelled = true
      },
    })
    const request = new Request(upload(endless), { signal: leave.signal })
    const answer = server.fetch(request)
    await settle()
    leave.abort()
    expect((await answer).status).toBe(499)
    await settle()
    // What had come of it was a whole message, and is not taken for one.
    expect([cancelled, server.sessions]).toEqual([true, 0])
  })

  it('createFetchHandler() says on this side that somebody else took the body', async () => {
    const told: unknown[] = []
    const { fetch } = await handle({ onError: (error, about) => told.push([String(error), about]) })
    const request = new Request(URL, { method: 'POST', headers: BOTH, body: JSON.stringify(INITIALIZE) })
    await request.text()
    const response = await fetch(request)
    expect([response.status, await response.json()]).toEqual([
      500,
      { jsonrpc: '2.0', error: { code: -32603, message: 'Internal error' } },
    ])
    expect(told).toEqual([
      [
        'ShelfError: The body of the Request was read before it came here: hand on a clone of it',
        { method: 'reading a request' },
      ],
    ])
  })

  it('createFetchHandler() refuses what is said twice', async () => {
    const server = await handle()
    const headers = new Headers(BOTH)
    headers.append('content-type', 'text/plain')
    expect((await server.ask({ method: 'POST', headers, body: JSON.stringify(INITIALIZE) })).status).toBe(415)
  })
})

describe('createFetchHandler() that cannot start', () => {
  it('createFetchHandler() answers 503, says why once, and tries again after a second', async () => {
    const clock = createFakeClock()
    const told: unknown[] = []
    let starts = 0
    const library = createLibrary({ name: 'acme' })
    const server = await handle({ clock, onError: (error, about) => told.push([String(error), about]) }, library)
    library.mount(
      provider({
        start: async () => {
          starts++
          throw new Error('no database at 10.0.0.7')
        },
      }),
    )
    const answers = await Promise.all([modern(server, 'server/discover'), modern(server, 'server/discover')])
    for (const response of answers) {
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '1',
        { jsonrpc: '2.0', error: { code: 10_503, message: 'Unavailable for now' } },
      ])
    }
    expect((await modern(server, 'server/discover')).status).toBe(503)
    const why = ['Error: no database at 10.0.0.7', { method: 'starting the Library' }]
    expect([starts, told]).toEqual([1, [why]])
    // What a Library began once it does not begin again; without the mount there is nothing to fail.
    await library.unmount('p')
    clock.advance(999)
    expect((await modern(server, 'server/discover')).status).toBe(503)
    clock.advance(1)
    expect((await modern(server, 'server/discover')).status).toBe(200)
    expect(told).toEqual([why])
  })

  it('createFetchHandler() lets an onError of the author fail', async () => {
    const library = createLibrary({ name: 'acme' }).mount(provider({ start: async () => Promise.reject(new Error('no')) }))
    const fail = () => {
      throw new Error('nor this')
    }
    const server = await handle({ onError: fail }, library)
    await expect(server.start()).rejects.toThrow('no')
    expect((await modern(server, 'server/discover')).status).toBe(503)
  })

  it('createFetchHandler() turns a request away without starting for it', async () => {
    let starts = 0
    const library = createLibrary({ name: 'acme' }).mount(provider({ start: async () => void starts++ }))
    const server = await handle({}, library)
    expect((await server.ask({ method: 'PUT' })).status).toBe(405)
    expect((await server.ask({ method: 'POST', headers: { host: 'evil.example' } })).status).toBe(403)
    expect(starts).toBe(0)
    await server.start()
    await server.start()
    expect(starts).toBe(1)
  })
})

describe('createFetchHandler() that closes', () => {
  it('createFetchHandler() ends what listens, then sessions, then the Library, once', async () => {
    let disposed = 0
    const library = createLibrary({ name: 'acme' })
      .resource('a:1', () => 'one')
      .mount(provider({ [Symbol.asyncDispose]: async () => void disposed++ }))
    const server = await handle({}, library)
    const modernStream = events(await modern(server, 'subscriptions/listen', { notifications: {} }))
    await modernStream.next()
    const legacyStream = events(await stream(server, await session(server)))
    expect(server.sessions).toBe(1)
    const closed = Promise.all([server.close(), server.close(), server[Symbol.asyncDispose]()])
    expect((await modernStream.next()).value).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect([(await modernStream.next()).done, (await legacyStream.next()).done]).toEqual([true, true])
    await closed
    expect([server.sessions, disposed]).toEqual([0, 1])
    const late = await post(server, INITIALIZE)
    expect([late.status, await code(late)]).toEqual([503, 10_503])
    await expect(server.start()).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('createFetchHandler() lets requests finish, for a while', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('x:soon', async () => {
        await pause(50)
        return 'soon'
      })
      .resource('x:never', () => new Promise(() => {}))
    const server = await handle({ drainMs: 300 }, library)
    const soon = modern(server, 'resources/read', { uri: 'x:soon' })
    const never = modern(server, 'resources/read', { uri: 'x:never' })
    await settle()
    await server.close()
    expect(await (await soon).json()).toMatchObject({ result: { contents: [{ text: 'soon' }] } })
    expect((await never).status).toBe(503)
  })

  it('createFetchHandler() breaks off what is not read until then', async () => {
    const library = createLibrary({ name: 'acme' }).resource('x:big', () => new Uint8Array(1_000_000))
    const server = await handle({ drainMs: 50 }, library)
    const response = await modern(server, 'resources/read', { uri: 'x:big' })
    await server.close()
    await expect(response.text()).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('createFetchHandler() disposes a Library that it never started, or could not start', async () => {
    let disposed = 0
    const never = createFetchHandler(
      createLibrary({ name: 'a' }).mount(provider({ [Symbol.asyncDispose]: async () => void disposed++ })),
    )
    await never.close()
    expect(disposed).toBe(1)
    const unable = createFetchHandler(
      createLibrary({ name: 'b' }).mount(
        provider({ start: async () => Promise.reject(new Error('no')), [Symbol.asyncDispose]: async () => void disposed++ }),
      ),
      { onError: () => undefined },
    )
    await expect(unable.start()).rejects.toThrow('no')
    await unable.close()
    expect(disposed).toBe(2)
  })

  it('createFetchHandler() waits for a start that is under way', async () => {
    let disposed = false
    let ready = (): void => undefined
    const library = createLibrary({ name: 'acme' }).mount(
      provider({
        start: () =>
          new Promise((resolve) => {
            ready = resolve
          }),
        [Symbol.asyncDispose]: async () => {
          disposed = true
        },
      }),
    )
    const server = await handle({}, library)
    const answer = modern(server, 'resources/read', { uri: 'p:1' })
    await settle()
    const closed = server.close()
    await settle()
    expect(disposed).toBe(false)
    ready()
    expect(await (await answer).json()).toMatchObject({ result: { contents: [{ text: 'p' }] } })
    await closed
    expect(disposed).toBe(true)
  })

  it('createFetchHandler() does not wait for ever for a start, nor for a Library to be disposed', async () => {
    const forever = () => new Promise<void>(() => {})
    const library = createLibrary({ name: 'acme' }).mount(provider({ start: forever, [Symbol.asyncDispose]: forever }))
    const server = await handle({ drainMs: 20 }, library)
    const answer = modern(server, 'server/discover')
    await settle()
    await server.close()
    expect((await answer).status).toBe(503)
  })
})
