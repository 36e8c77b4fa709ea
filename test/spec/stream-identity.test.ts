import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Principal } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { events, INITIALIZE, modern, post, SHELLS, stream } from './http.ts'
import type { Way } from './http.ts'

const AUTHORIZED = { authorization: 'Bearer good' }
const ALICE: Principal = { id: 'alice', kind: 'authenticated', scopes: ['read'], claims: {} }

/** A clock, and who the token is of by it. */
function world(of: Principal | undefined) {
  const clock = createFakeClock()
  const state: { of: Principal | undefined | Error; asked: number } = { of, asked: 0 }
  const authenticate = async (): Promise<Principal | undefined> => {
    state.asked++
    if (state.of instanceof Error) throw state.of
    return state.of
  }
  return { clock, state, authenticate, onError: () => undefined, keepAliveMs: 10 ** 9, stallMs: 10 ** 9 }
}

/** It was asked so often, and what came of it is known to the stream. */
async function askedFor(state: { readonly asked: number }, times: number): Promise<void> {
  await expect.poll(() => state.asked).toBe(times)
  await new Promise(setImmediate)
}

const listen = (server: Way) =>
  modern(server, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }, AUTHORIZED)

/** The last event of a stream that ends by itself. */
async function last(response: Response): Promise<unknown> {
  let event: unknown
  for await (event of events(response));
  return event
}

describe.each(SHELLS)('%s with tokens that do not last', (_name, open) => {
  it('ends a listen stream with its result when its token expires, and then wants another', async () => {
    const { clock, state, ...options } = world(undefined)
    state.of = { ...ALICE, expiresAt: clock.wall() + 90_000 }
    const server = await open({ clock, ...options })
    const response = await listen(server)
    const ended = last(response)
    let over = false
    void ended.then(() => (over = true))
    clock.advance(30_000)
    await askedFor(state, 2)
    clock.advance(30_000)
    await askedFor(state, 3)
    expect(over).toBe(false)
    clock.advance(30_000)
    expect(await ended).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect((await listen(server)).status).toBe(401)
  })

  it.each([
    ['nobody', undefined],
    ['somebody else', { ...ALICE, id: 'bob' }],
    ['one with fewer scopes', { ...ALICE, scopes: [] }],
  ])('ends a listen stream whose token is of %s by now', async (_who, now) => {
    const { clock, state, ...options } = world(ALICE)
    const server = await open({ clock, ...options })
    const ended = last(await listen(server))
    state.of = now
    clock.advance(30_000)
    expect(await ended).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('keeps a stream while nobody can tell whose token it is, until it expires', async () => {
    const { clock, state, ...options } = world(undefined)
    state.of = { ...ALICE, expiresAt: clock.wall() + 50_000 }
    const server = await open({ clock, ...options })
    const ended = last(await listen(server))
    state.of = new Error('the directory is down')
    clock.advance(30_000)
    await askedFor(state, 2)
    expect(await Promise.race([ended, Promise.resolve('goes on')])).toBe('goes on')
    clock.advance(20_000)
    expect(await ended).toMatchObject({ id: 1 })
  })

  it('ends a stream whose time is over though nobody ever says whose token it is', async () => {
    const { clock, state, authenticate, ...options } = world(undefined)
    state.of = { ...ALICE, expiresAt: clock.wall() + 35_000 }
    const hangs = () => (state.asked === 0 ? authenticate() : (state.asked++, new Promise<undefined>(() => undefined)))
    const server = await open({ clock, ...options, authenticate: hangs })
    const ended = last(await listen(server))
    clock.advance(30_000)
    await askedFor(state, 2)
    clock.advance(10_000)
    expect(await ended).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('lets a stream go on past the time that its token had, once it has more', async () => {
    const { clock, state, ...options } = world(undefined)
    state.of = { ...ALICE, expiresAt: clock.wall() + 10_000 }
    const server = await open({ clock, ...options })
    const ended = last(await listen(server))
    state.of = ALICE
    clock.advance(10_000)
    await askedFor(state, 2)
    expect(await Promise.race([ended, Promise.resolve('goes on')])).toBe('goes on')
    clock.advance(29_000)
    expect(state.asked).toBe(2)
    await server.close()
    expect(await ended).toMatchObject({ id: 1 })
  })

  it('ends the stream of a legacy session, which goes on with the next token', async () => {
    const { clock, state, ...options } = world(undefined)
    state.of = { ...ALICE, expiresAt: clock.wall() + 20_000 }
    const server = await open({ clock, ...options })
    const opened = await post(server, INITIALIZE, AUTHORIZED)
    const session = { ...AUTHORIZED, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    const response = await stream(server, session)
    clock.advance(20_000)
    expect(await last(response)).toBeUndefined()
    expect((await stream(server, session)).status).toBe(401)
    state.of = { ...ALICE, expiresAt: clock.wall() + 20_000 }
    expect((await post(server, { jsonrpc: '2.0', id: 2, method: 'ping' }, session)).status).toBe(200)
    const again = await stream(server, session)
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  it('asks nothing about answers, and nothing once a stream is gone', async () => {
    const { clock, state, ...options } = world(ALICE)
    const server = await open({ clock, ...options })
    await (await modern(server, 'server/discover', {}, AUTHORIZED)).text()
    const { pending } = clock
    const response = await listen(server)
    expect(clock.pending).toBeGreaterThan(pending)
    await response.body?.cancel()
    await expect.poll(() => clock.pending).toBe(pending)
    clock.advance(60_000)
    expect(state.asked).toBe(2)
  })

  it('answers in a legacy session with the rights of the token of each request, and tells with those of the latest', async () => {
    let principal = ALICE
    const library = createLibrary({ name: 'mirror' })
      .resource('me:1', ({ principal: { scopes } }) => scopes.join(' '))
      .resource('secret:1', () => '')
    const server = await open(
      {
        authenticate: () => principal,
        access: ({ scopes }, _operation, uri) => !uri.startsWith('secret:') || scopes.includes('read'),
      },
      library,
    )
    const opened = await post(server, INITIALIZE, AUTHORIZED)
    const session = { ...AUTHORIZED, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    const told: unknown[] = []
    const response = await stream(server, session)
    void (async () => {
      for await (const { params } of events(response)) told.push(params?.['uri'])
    })()
    const ask = async (method: string, uri: string): Promise<unknown> =>
      (await post(server, { jsonrpc: '2.0', id: method, method, params: { uri } }, session)).json()
    await ask('resources/subscribe', 'secret:1')
    await ask('resources/subscribe', 'me:1')
    expect(await ask('resources/read', 'me:1')).toMatchObject({ result: { contents: [{ text: 'read' }] } })
    library.updated('secret:1')
    await expect.poll(() => told).toEqual(['secret:1'])
    principal = { ...ALICE, scopes: [] }
    expect(await ask('resources/read', 'me:1')).toMatchObject({ result: { contents: [{ text: '' }] } })
    library.updated('secret:1')
    library.updated('me:1')
    await expect.poll(() => told).toEqual(['secret:1', 'me:1'])
    await response.body?.cancel().catch(() => undefined)
  })
})
