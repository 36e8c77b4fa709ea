import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { systemClock } from '../../src/library/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { FetchReply } from '../../src/transports/http/fetch-reply.ts'
import { OpenStreams } from '../../src/transports/http/open-streams.ts'
import { envelope, MODERN } from '../spec/engine.ts'
import { BOTH, events, handle, modern, ORIGIN, post, session, stream } from '../spec/http.ts'
import { settle } from '../spec/recording-sink.ts'

const MIB = 1024 * 1024

/** A Library with one blob that comes in parts, and what was taken of it. */
function blobs(parts: number, part = new Uint8Array(MIB)) {
  const taken = { parts: 0, open: 0 }
  const library = createLibrary({ name: 'acme' }).resource('x:blob', ({ uri }) => [
    {
      uri,
      bytes: {
        size: parts * part.length,
        async *open() {
          taken.open++
          try {
            for (let i = 0; i < parts; i++) {
              taken.parts++
              yield part
            }
          } finally {
            taken.open--
          }
        },
      },
    },
  ])
  return { library, taken }
}

/** A Library with a resource that is never ready, and whether its reader was told to stop. */
function slow() {
  const state = { asked: 0, stopped: 0, finish: (): void => undefined }
  const library = createLibrary({ name: 'acme' }).resource(
    'x:slow',
    ({ signal }) =>
      new Promise((resolve) => {
        state.asked++
        state.finish = () => resolve('late')
        signal.addEventListener('abort', () => state.stopped++)
      }),
  )
  return { library, state }
}

const readOf = (uri: string, signal?: AbortSignal): Request =>
  new Request(`${ORIGIN}/mcp`, {
    method: 'POST',
    headers: { ...BOTH, 'mcp-protocol-version': MODERN, 'mcp-method': 'resources/read', 'mcp-name': uri },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { _meta: envelope(), uri } }),
    ...(signal && { signal }),
  })

describe('createFetchHandler() at the pace of its reader', () => {
  it('createFetchHandler() takes no more of a blob than is read', async () => {
    const { library, taken } = blobs(64)
    const server = await handle({ limits: { maxRead: 64 * MIB } }, library)
    const response = await modern(server, 'resources/read', { uri: 'x:blob' })
    expect(response.headers.get('content-length')).toMatch(/^8947\d{4}$/)
    await expect.poll(() => taken.parts).toBe(1)
    await pause(50)
    expect(taken.parts).toBe(1)
    const reader = response.body!.getReader()
    let read = 0
    while (read < 10 * MIB) read += (await reader.read()).value!.length
    await pause(50)
    expect(taken.parts).toBeLessThan(12)
    for (let next = await reader.read(); !next.done; next = await reader.read()) read += next.value.length
    expect([read, taken]).toEqual([Number(response.headers.get('content-length')), { parts: 64, open: 0 }])
  })

  it('createFetchHandler() lets go of a blob whose reader cancels it', async () => {
    const clock = createFakeClock()
    const { library, taken } = blobs(64)
    const server = await handle({ clock, limits: { maxRead: 64 * MIB } }, library)
    const response = await modern(server, 'resources/read', { uri: 'x:blob' })
    const reader = response.body!.getReader()
    await reader.read()
    expect(taken.open).toBe(1)
    await reader.cancel()
    await expect.poll(() => taken.open).toBe(0)
    expect([taken.parts < 4, clock.pending]).toEqual([true, 0])
  })

  it('createFetchHandler() breaks a body off that its reader leaves for too long, and not one that is read slowly', async () => {
    const clock = createFakeClock()
    const { library, taken } = blobs(8)
    const server = await handle({ clock, stallMs: 1_000, limits: { maxRead: 64 * MIB } }, library)
    const response = await modern(server, 'resources/read', { uri: 'x:blob' })
    const reader = response.body!.getReader()
    for (let i = 0; i < 5; i++) {
      clock.advance(900)
      expect((await reader.read()).done).toBe(false)
      await settle()
    }
    clock.advance(2_000)
    await expect(reader.read()).rejects.toMatchObject({ code: 'timeout', message: 'The client has read nothing for 1000 ms' })
    await expect.poll(() => taken.open).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('createFetchHandler() frees what a stalled listener held, which starts again', async () => {
    const clock = createFakeClock()
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => 'one')
    const server = await handle({ clock, stallMs: 1_000, limits: { maxListeners: 1 } }, library)
    const filter = { notifications: { resourceSubscriptions: ['x:1'] } }
    const stalled = await modern(server, 'subscriptions/listen', filter)
    clock.advance(2_000)
    await expect(stalled.text()).rejects.toMatchObject({ code: 'timeout' })
    const again = events(await modern(server, 'subscriptions/listen', filter))
    expect((await again.next()).value).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    library.updated('x:1')
    expect((await again.next()).value).toMatchObject({ params: { uri: 'x:1' } })
  })

  it('createFetchHandler() comments on a quiet stream again and again, until it is left', async () => {
    const clock = createFakeClock()
    const server = await handle({ clock, keepAliveMs: 1_000 })
    const reader = (await modern(server, 'subscriptions/listen', { notifications: {} })).body!.getReader()
    await reader.read()
    for (let i = 0; i < 3; i++) {
      clock.advance(1_000)
      expect(Buffer.from((await reader.read()).value!).toString()).toBe(':\n\n')
    }
    await reader.cancel()
    expect(clock.pending).toBe(0)
  })

  it('createFetchHandler() keeps 100,000 updates of a client that does not read in no more room than a few', async () => {
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => '')
    const server = await handle({}, library)
    const response = await modern(server, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['x:1'] } })
    for (let i = 0; i < 100_000; i++) {
      library.updated('x:1')
      if (i % 20 === 0) await new Promise(setImmediate)
    }
    const closed = server.close()
    let size = 0
    for await (const chunk of response.body!) size += chunk.length
    await closed
    expect(size).toBeLessThan(66 * 1024)
  })
})

describe('FetchReply', () => {
  it('FetchReply says when its stream is full, and when there is room again', async () => {
    const reply = new FetchReply(new OpenStreams(systemClock, 15_000), { clock: systemClock, stallMs: 15_000 })
    const opened = reply.open(200, [])
    const reader = (await reply.response).body!.getReader()
    expect(opened.write('x'.repeat(65_535))).toBeUndefined()
    const full = opened.write('y')
    expect(full).toBeInstanceOf(Promise)
    let room = false
    void full?.then(() => {
      room = true
    })
    await settle()
    expect(room).toBe(false)
    expect((await reader.read()).value).toHaveLength(65_535)
    await full
    opened.end()
    await opened.ended
    expect((await reader.read()).value).toHaveLength(1)
    expect((await reader.read()).done).toBe(true)
  })

  it('FetchReply that is cut says nothing further', async () => {
    const reply = new FetchReply(new OpenStreams(systemClock, 15_000), { clock: systemClock, stallMs: 15_000 })
    const ends: boolean[] = []
    reply.whenEnded((whole) => ends.push(whole))
    reply.cut(499, undefined)
    void reply.send(200, [], '{}')
    await reply.send(200, [], ['{', { bytes: new Uint8Array(3) }, '}'])
    const opened = reply.open(200, [])
    expect(opened.write('x')).toBeUndefined()
    opened.end()
    await opened.ended
    reply.whenEnded((whole) => ends.push(whole))
    expect([(await reply.response).status, ends]).toEqual([499, [false, false]])
  })
})

describe('createFetchHandler() whose client is gone', () => {
  it('createFetchHandler() cancels a modern request at once, and answers it with nothing', async () => {
    const { library, state } = slow()
    const { fetch } = await handle({}, library)
    const leave = new AbortController()
    const answer = fetch(readOf('x:slow', leave.signal))
    await expect.poll(() => state.asked).toBe(1)
    leave.abort()
    expect(state.stopped).toBe(1)
    const response = await answer
    expect([response.status, await response.text()]).toEqual([499, ''])
    state.finish()
  })

  it('createFetchHandler() notices it also when nobody holds the Request', async () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const { library, state } = slow()
    const { fetch } = await handle({}, library)
    const leave = new AbortController()
    void fetch(readOf('x:slow', leave.signal))
    await expect.poll(() => state.asked).toBe(1)
    for (let i = 0; i < 3; i++) {
      await pause(10)
      gc()
    }
    leave.abort()
    expect(state.stopped).toBe(1)
    state.finish()
  })

  it('createFetchHandler() does not begin what was given up before', async () => {
    const { library, state } = slow()
    const { fetch } = await handle({}, library)
    expect((await fetch(readOf('x:slow', AbortSignal.abort()))).status).toBe(499)
    await settle()
    expect(state.asked).toBe(0)
  })

  it('createFetchHandler() does not care who goes after the answer', async () => {
    const server = await handle()
    const leave = new AbortController()
    const response = await modern(server, 'resources/read', { uri: 'a:1' }, {}, leave.signal)
    leave.abort()
    expect(await response.json()).toMatchObject({ result: { contents: [{ text: 'one' }] } })
  })

  it('createFetchHandler() goes on with a legacy request', async () => {
    const { library, state } = slow()
    const server = await handle({}, library)
    const headers = await session(server)
    const leave = new AbortController()
    const asked = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'x:slow' } }
    const answer = post(server, asked, headers, leave.signal)
    await expect.poll(() => state.asked).toBe(1)
    leave.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    expect(state.stopped).toBe(0)
    state.finish()
    expect((await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(200)
  })

  it('createFetchHandler() breaks a body off with the reason of the signal', async () => {
    const { library, taken } = blobs(8)
    const server = await handle({ limits: { maxRead: 64 * MIB } }, library)
    const leave = new AbortController()
    const response = await modern(server, 'resources/read', { uri: 'x:blob' }, {}, leave.signal)
    const reader = response.body!.getReader()
    await reader.read()
    leave.abort(new Error('enough'))
    await expect(reader.read()).rejects.toThrow('enough')
    await expect.poll(() => taken.open).toBe(0)
  })

  it('createFetchHandler() gives the place of a listener that cancelled to the next', async () => {
    const server = await handle({ limits: { maxListeners: 1 } })
    for (let i = 0; i < 3; i++) {
      const response = await modern(server, 'subscriptions/listen', { notifications: {} })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      await response.body!.cancel()
      await settle()
    }
  })

  it('createFetchHandler() tells a legacy session on its newest stream, whoever left the older ones', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => 'one')
    const server = await handle({}, library)
    const headers = await session(server)
    await post(server, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'a:1' } }, headers)
    const first = await stream(server, headers)
    const second = await stream(server, headers)
    // The first was taken over from: its end is no news, and neither is that its reader goes.
    await first.body!.cancel()
    library.updated('a:1')
    const reader = second.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toContain('"uri":"a:1"')
    await reader.cancel()
    library.updated('a:1')
    await settle()
    const third = events(await stream(server, headers))
    expect((await third.next()).value).toMatchObject({ params: { uri: 'a:1' } })
  })
})
