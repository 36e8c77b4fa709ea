import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CLI, endpoint, folderOfTest, modern, opening, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'
import { connectV1, connectV2 } from '../e2e/official-clients.ts'
import type { Target } from '../e2e/official-clients.ts'
import { CHANNELS, readOf } from './channels.ts'
import type { Channel } from './channels.ts'
import {
  ask,
  children,
  descriptors,
  events,
  openSession,
  post,
  responseTo,
  runHttp,
  runWire,
  settled,
  TELLS,
  told,
  WIRE_SERVER,
} from './wire.ts'

const MIB = 1024 * 1024

let probes = 0

/** What the server holds when nobody asks for anything but this. */
async function held(channel: Channel) {
  const id = `probe${probes++}`
  const { result } = await channel.answer(id, `probe:${id}`)
  const [{ text }] = result?.['contents'] as [{ text: string }]
  const { kinds, descriptors: open, rejections } = JSON.parse(text) as Record<string, unknown>
  return { kinds, open, rejections, children: children(channel.server) }
}

describe.skipIf(!TELLS).each(CHANNELS)('a cancelled read of a %s', (_name, open) => {
  let channel: Channel
  let before: unknown
  beforeAll(async () => {
    channel = await open()
    before = await settled(() => held(channel))
  })
  afterAll(() => channel.close())

  it.each([
    ['has its signal fired, and is not answered', 'hang:7', ['begun', 'aborted']],
    ['is not answered though its handler ends late', 'late:7', ['begun', 'aborted', 'late']],
    ['lets go of a file that is read slowly', 'disk:7', ['begun', 'disposed']],
    ['lets go of bytes half-way', 'drip:7', ['opened', 'dry', 'aborted', 'left', 'disposed']],
    ['lets go of bytes that never come', 'mute:7', ['opened', 'dry', 'disposed']],
  ])('%s', async (_what, uri, steps) => {
    const { server } = channel
    channel.read(uri, uri)
    await told(server, `${steps.includes('dry') ? 'dry' : 'begun'} ${uri}`)
    await channel.cancel(uri)
    await told(server, `${steps.at(-1)} ${uri}`)
    await expect.poll(() => held(channel), { timeout: 5_000 }).toEqual(before)
    expect(channel.messages().filter(({ id }) => id === uri)).toEqual([])
    expect(events(server).filter((event) => event.endsWith(uri))).toEqual(steps.map((step) => `${step} ${uri}`))
    expect((await channel.answer(`after ${uri}`, 'note:a')).result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('is one that is known and not answered yet: others go on', async () => {
    const { server } = channel
    const seen = () => events(server).filter((event) => event.endsWith('hang:2'))
    expect((await channel.answer(1, 'note:a')).result).toBeDefined()
    channel.read(2, 'hang:2')
    await told(server, 'begun hang:2')
    for (const requestId of [999, '2', 1, null, 2.5, true, [2], { id: 2 }, 2 ** 60]) await channel.cancelled({ requestId })
    for (const params of [{}, { requestID: 2 }, [2]]) await channel.cancelled(params)
    expect((await channel.answer(3, 'note:a')).result).toBeDefined()
    expect(seen()).toEqual(['begun hang:2'])
    await channel.cancel(2)
    await told(server, 'aborted hang:2')
    await channel.cancel(2)
    expect((await channel.answer(4, 'note:a')).result).toBeDefined()
    expect(seen()).toEqual(['begun hang:2', 'aborted hang:2'])
  })
})

describe('initialize', () => {
  it('cannot be cancelled', async () => {
    const server = runWire([])
    const [initialize, initialized] = opening(1)
    server.send(initialize!, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, initialized!)
    expect((await server.answer(1)).result).toMatchObject({ protocolVersion: '2025-11-25' })
    server.send({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'note:a' } })
    expect((await server.answer(2)).result).toMatchObject({ contents: [{ text: 'a' }] })
  })
})

describe('requests of two clients with one id', () => {
  it('are cancelled one by one over HTTP', async () => {
    const { server, url } = await runHttp()
    const [one, two] = [await openSession(url), await openSession(url)]
    post(url, readOf('legacy', 1, 'hang:one'), one)
    post(url, readOf('legacy', 1, 'hang:two'), two)
    post(url, readOf('modern', 1, 'hang:three'))
    for (const name of ['one', 'two', 'three']) await told(server, `begun hang:${name}`)
    // In the modern era only the end of the stream cancels: a notification names no stream.
    const { params, ...rest } = modern(0, 'notifications/cancelled', { requestId: 1 }) as { params: object; id?: number }
    delete rest.id
    expect((await ask(url, { ...rest, params })).status).toBe(202)
    expect((await ask(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, two)).status).toBe(
      202,
    )
    await told(server, 'aborted hang:two')
    expect((await ask(url, readOf('modern', 1, 'note:a'))).result).toBeDefined()
    expect(events(server).filter((event) => event.startsWith('aborted'))).toEqual(['aborted hang:two'])
  })
})

/** A folder with a blob of so many MiB, which takes no room on the disk. */
function folderWithBlob(mib: number): string {
  const folder = folderOfTest()
  const file = openSync(join(folder, 'big.bin'), 'w')
  ftruncateSync(file, mib * MIB)
  closeSync(file)
  return folder
}

const BIG = 'file:///docs/big.bin'

describe.skipIf(!TELLS)('`shelfmark serve` to a client that does not read', () => {
  it('closes the files of ten cancelled answers on stdio, but for the one whose line has begun, which it ends', async () => {
    const server = run([CLI, 'serve', `docs=${folderWithBlob(4)}`], { read: false })
    const before = await settled(() => descriptors(server), 400)
    server.send(modern(0, 'resources/read', { uri: BIG }))
    await expect.poll(() => descriptors(server)).toBe(before + 1)
    const ids = Array.from({ length: 10 }, (_, index) => index + 1)
    for (const id of ids) server.send(modern(id, 'resources/read', { uri: BIG }))
    await expect.poll(() => descriptors(server)).toBe(before + 11)
    for (const requestId of [0, ...ids]) {
      server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    }
    await expect.poll(() => descriptors(server)).toBe(before + 1)
    server.read()
    server.send(modern(11, 'resources/read', { uri: 'file:///docs/none' }))
    expect((await server.answer(11)).error?.code).toBe(-32602)
    expect(server.messages.map(({ id }) => id)).toEqual([0, 11])
    expect(descriptors(server)).toBe(before)
  })

  it.each([
    ['left by modern clients', false],
    ['cancelled by a legacy client', true],
  ])('closes the files of ten answers over HTTP that are %s', async (_how, legacy) => {
    const server = run([CLI, 'serve', `docs=${folderWithBlob(64)}`, '--http', '0', '--max-read', String(64 * MIB)])
    const url = await endpoint(server)
    const session = legacy ? await openSession(url) : undefined
    const before = await settled(() => descriptors(server), 300)
    const sent = Array.from({ length: 10 }, (_, id) => post(url, readOf(legacy ? 'legacy' : 'modern', id, BIG), session))
    const responses = await Promise.all(sent.map(responseTo))
    await expect.poll(() => descriptors(server)).toBe(before + 20)
    const broken = responses.map((response) => new Promise((resolve) => response.once('error', resolve)))
    if (legacy) {
      for (let requestId = 0; requestId < 10; requestId++)
        await ask(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, session)
    } else for (const one of sent) one.destroy()
    await expect.poll(() => descriptors(server)).toBe(before)
    for (const response of responses) response.resume()
    await Promise.all(broken)
    expect((await ask(url, readOf(legacy ? 'legacy' : 'modern', 1, 'file:///docs/none'), session)).error).toBeDefined()
  })
})

type Reader = { read(uri: string, signal?: AbortSignal): Promise<unknown>; close(): Promise<void> }

const OFFICIAL: readonly (readonly [name: string, connect: (target: Target) => Promise<Reader>])[] = [
  ...(['legacy', { pin: '2026-07-28' }] as const).map((mode) => {
    const name = `client 2.4.0, ${typeof mode === 'string' ? mode : mode.pin}`
    const connect = async (target: Target): Promise<Reader> => {
      const client = await connectV2(target, mode)
      return {
        read: (uri, signal) => client.readResource({ uri }, signal && { signal }),
        close: () => client.close(),
      }
    }
    return [name, connect] as const
  }),
  [
    'sdk 1.32.2',
    async (target) => {
      const client = await connectV1(target)
      return {
        read: (uri, signal) => client.readResource({ uri }, signal && { signal }),
        close: () => client.close(),
      }
    },
  ],
]

describe.each(OFFICIAL)('the official %s', (_name, connect) => {
  it.each(['stdio', 'HTTP'])('gives up on bytes half-way over %s, and is served on', async (transport) => {
    let server: Program | undefined
    let target: Target = { args: [WIRE_SERVER] }
    if (transport === 'HTTP') {
      const http = await runHttp()
      server = http.server
      target = { url: http.url }
    }
    const client = await connect(target)
    onTestFinished(() => client.close())
    for (const uri of ['drip:1', 'mute:2', 'hang:3']) {
      const leave = new AbortController()
      const read = client.read(uri, leave.signal)
      read.catch(() => undefined)
      if (server === undefined) await pause(100)
      else await told(server, `${uri.startsWith('hang') ? 'begun' : 'dry'} ${uri}`)
      leave.abort('enough')
      await expect(read).rejects.toThrow()
      if (server !== undefined) await told(server, `${uri.startsWith('hang') ? 'aborted' : 'disposed'} ${uri}`)
      expect(await client.read('note:a')).toMatchObject({ contents: [{ text: 'a' }] })
    }
  })
})
