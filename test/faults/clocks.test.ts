import { describe, expect, it } from 'vitest'
import { modern } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, collect, openSession, openStream, post, responseTo, runHttp, runWire, told } from './wire.ts'

const HOUR = 3_600_000
const LISTEN = modern(7, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['note:a'] } })
const UPDATED = /"method":"notifications\/resources\/updated"/g
const KEPT = /^:/gm
const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

describe.each([
  ['an hour ahead', HOUR],
  ['an hour back', -HOUR],
])('serveHttp() whose wall clock is put %s', (_where, jump) => {
  it('keeps sessions, streams and what is under way', async () => {
    const { server, url } = await runHttp({ keepAliveMs: 100, sessionIdleMs: 60_000 })
    const session = await openSession(url)
    const legacy = openStream(url, session)
    const [heard, listened] = [collect(legacy), post(url, LISTEN)]
    const modernStream = collect(listened)
    await Promise.all([responseTo(legacy), responseTo(listened)])
    await ask(url, { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'note:a' } }, session)
    const slow = ask(url, readOf('modern', 3, 'slow:500'))
    await told(server, 'begun slow:500')
    await ask(url, readOf('modern', 4, `do:jump/${jump}`))
    const quiet = count(modernStream.text, KEPT)
    await expect.poll(() => count(modernStream.text, KEPT)).toBeGreaterThan(quiet + 2)
    await ask(url, readOf('modern', 5, 'do:update/note:a'))
    await expect.poll(() => [count(heard.text, UPDATED), count(modernStream.text, UPDATED)]).toEqual([1, 1])
    expect((await slow).result).toMatchObject({ contents: [{ text: 'slow' }] })
    expect(await ask(url, readOf('legacy', 6, 'note:a'), session)).toMatchObject({ status: 200, id: 6 })
  })
})

describe('a server whose event loop is blocked for two seconds', () => {
  it('loses no stream, no session and no request over HTTP, and tells afterwards what happened meanwhile', async () => {
    const { url } = await runHttp({ keepAliveMs: 200 })
    const session = await openSession(url)
    const legacy = openStream(url, session)
    const listened = post(url, LISTEN)
    const [heard, stream] = [collect(legacy), collect(listened)]
    await Promise.all([responseTo(legacy), responseTo(listened)])
    await ask(url, { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'note:a' } }, session)
    const spun = ask(url, readOf('modern', 3, 'do:spin/2000'))
    const meanwhile = Array.from({ length: 20 }, (_, i) => ask(url, readOf('modern', 10 + i, 'do:update/note:a')))
    expect((await spun).status).toBe(200)
    expect((await Promise.all(meanwhile)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const quiet = count(stream.text, KEPT)
    await expect.poll(() => count(stream.text, KEPT)).toBeGreaterThan(quiet + 2)
    await expect.poll(() => count(heard.text, UPDATED) > 0 && count(stream.text, UPDATED) > 0).toBe(true)
    expect(await ask(url, readOf('legacy', 6, 'note:a'), session)).toMatchObject({ status: 200, id: 6 })
  })

  it('loses no request on stdio', async () => {
    const server = runWire([])
    server.send(...[0, 1, 2, 3].map((id) => readOf('modern', id, id === 1 ? 'do:spin/2000' : 'note:a')))
    for (const id of [0, 1, 2, 3]) expect((await server.answer(id)).error).toBe(undefined)
  })
})
