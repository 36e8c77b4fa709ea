import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { modern, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import {
  ask,
  bytesOf,
  collect,
  descriptors,
  events,
  openSession,
  post,
  resident,
  responseTo,
  runHttp,
  settled,
  TELLS,
  told,
} from './wire.ts'

const MUCH = 40_000_000

/** A process that sends these bytes to a server, and prints what it reads. */
function client(url: string, message: object): Program {
  const script = `
    import { connect } from 'node:net'
    const socket = connect(${new URL(url).port}, '127.0.0.1')
    socket.write(Buffer.from(${JSON.stringify(bytesOf(url, message).toString('base64'))}, 'base64'))
    socket.pipe(process.stdout)`
  return run(['--input-type=module', '-e', script])
}

const LISTEN = modern(7, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['note:a'] } })

async function probe(url: string) {
  const { result } = await ask(url, readOf('modern', 1, `probe:${Math.random()}`))
  return JSON.parse((result?.['contents'] as [{ text: string }])[0].text) as { memory: number; kinds: object; rejections: number }
}

const updates = (stdout: string) => stdout.match(/notifications\/resources\/updated/g)?.length ?? 0

describe.skipIf(!TELLS)('a client process that is stopped, and then killed', () => {
  it('with an open listen stream costs the others nothing, hears the latest when it goes on, and leaves nothing', async () => {
    const { server, url } = await runHttp({ keepAliveMs: 50 })
    await ask(url, readOf('modern', 1, 'note:a'))
    const before = { descriptors: await settled(() => descriptors(server)), kinds: (await probe(url)).kinds }
    const [stopped, other] = [client(url, LISTEN), client(url, LISTEN)]
    for (const one of [stopped, other]) await one.until(({ stdout }) => stdout.includes('acknowledged') || undefined)
    stopped.child.kill('SIGSTOP')
    const begun = resident(server)
    for (let i = 1; i <= 5; i++) {
      await ask(url, readOf('modern', i, 'do:update/note:a'))
      await other.until(({ stdout }) => updates(stdout) >= i || undefined)
    }
    expect([updates(stopped.stdout), descriptors(server)]).toEqual([0, before.descriptors + 2])
    stopped.child.kill('SIGCONT')
    await stopped.until(({ stdout }) => updates(stdout) > 0 || undefined)
    stopped.child.kill('SIGSTOP')
    stopped.child.kill('SIGKILL')
    other.child.kill('SIGKILL')
    await expect.poll(() => descriptors(server), { timeout: 5_000 }).toBe(before.descriptors)
    await expect.poll(async () => (await probe(url)).kinds).toEqual(before.kinds)
    expect(resident(server) - begun).toBeLessThan(60)
    expect((await ask(url, readOf('modern', 1, 'note:a'))).result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('in the middle of an answer leaves nothing', async () => {
    const { server, url } = await runHttp({ limits: { maxRead: MUCH } })
    await ask(url, readOf('modern', 1, 'note:a'))
    const before = { descriptors: await settled(() => descriptors(server)), kinds: (await probe(url)).kinds }
    const stopped = client(url, readOf('modern', 1, `zeros:${MUCH}`))
    stopped.child.stdout.pause()
    await told(server, `opened zeros:${MUCH}`)
    stopped.child.kill('SIGSTOP')
    await pause(300)
    expect(events(server)).toEqual([`opened zeros:${MUCH}`])
    stopped.child.kill('SIGKILL')
    await told(server, `disposed zeros:${MUCH}`)
    await expect.poll(() => descriptors(server)).toBe(before.descriptors)
    await expect.poll(async () => (await probe(url)).kinds).toEqual(before.kinds)
    expect((await ask(url, readOf('modern', 1, 'note:a'))).result).toMatchObject({ contents: [{ text: 'a' }] })
  })
})

describe.skipIf(!TELLS)('1,000 clients that connect, listen and vanish', () => {
  it('leave neither places, nor descriptors, nor memory', async () => {
    const { server, url } = await runHttp({ limits: { maxListeners: 25 }, maxSessions: 25, sessionIdleMs: 200 })
    await ask(url, readOf('modern', 1, 'note:a'))
    const comeAndGo = async (turn: number): Promise<void> => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(turn % 5 === 0 ? bytesOf(url, LISTEN).subarray(0, -10) : bytesOf(url, LISTEN))
      await once(socket, turn % 5 < 2 ? 'connect' : 'data')
      if (turn % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    const cycles = async (count: number): Promise<void> => {
      for (let turn = 0; turn < count; turn += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => comeAndGo(turn + i)))
    }
    const before = { descriptors: await settled(() => descriptors(server)), kinds: (await probe(url)).kinds }
    await cycles(300)
    const { memory } = await probe(url)
    await cycles(1_000)
    await expect.poll(() => descriptors(server), { timeout: 5_000 }).toBe(before.descriptors)
    await expect.poll(async () => (await probe(url)).kinds).toEqual(before.kinds)
    await expect.poll(async () => (await probe(url)).memory, { timeout: 5_000 }).toBeLessThan(memory + 1_000_000)
    // All places are free again.
    const streams = Array.from({ length: 25 }, () => post(url, LISTEN))
    const collected = streams.map(collect)
    await Promise.all(streams.map(responseTo))
    await expect.poll(() => collected.filter(({ text }) => text.includes('acknowledged')).length).toBe(25)
    for (const stream of streams) stream.destroy()
    expect((await ask(url, readOf('modern', 1, 'note:a'))).result).toMatchObject({ contents: [{ text: 'a' }] })
  })
})

describe('a client that goes in the middle of a stream of events', () => {
  it('has its request cancelled in the modern era, and answered to nobody in the legacy one', async () => {
    const { server, url } = await runHttp()
    const session = await openSession(url)
    const token = { progressToken: 1 }
    const sent = [post(url, readOf('modern', 1, 'hang:m', token)), post(url, readOf('legacy', 1, 'hang:l', token), session)]
    const collected = sent.map(collect)
    await expect.poll(() => collected.filter(({ text }) => text.includes('notifications/progress')).length).toBe(2)
    for (const one of sent) one.destroy()
    await told(server, 'aborted hang:m')
    expect((await ask(url, readOf('modern', 1, 'note:a'))).result).toMatchObject({ contents: [{ text: 'a' }] })
    expect(events(server)).not.toContain('aborted hang:l')
    await ask(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, session)
    await told(server, 'aborted hang:l')
    expect((await probe(url)).rejections).toBe(0)
  })
})

describe.skipIf(!TELLS)('a connection', () => {
  it('is probed by the system while it is quiet', async () => {
    const { url } = await runHttp()
    const quiet = post(url, readOf('modern', 1, 'hang:1'))
    const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
    // Local address, remote address, state 01 for established, queues, and which timer runs: 02 for keep-alive.
    const timers = () =>
      readFileSync('/proc/net/tcp', 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => (local ?? '').endsWith(`:${port}`) && state === '01')
        .map((fields) => fields[5]?.slice(0, 2))
    await expect.poll(timers).toEqual(['02'])
    quiet.destroy()
  })
})
