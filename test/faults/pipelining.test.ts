import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { modern } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, bytesOf, collect, descriptors, events, Line, post, runHttp, settled, TELLS, told } from './wire.ts'

const LISTEN = modern(7, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['note:a'] } })

/** Reads of these resources, one after the other, without waiting for an answer. */
function reads(url: string, uris: readonly string[]): Buffer {
  return Buffer.concat(uris.map((uri, index) => bytesOf(url, readOf('modern', index, uri))))
}

const idOf = (body: string) => (JSON.parse(body) as Wire).id

describe('requests that come before those before them are answered', () => {
  it('are begun and answered in their order', async () => {
    const { server, url } = await runHttp({ limits: { maxRead: 3_000_000 } })
    const line = new Line(url)
    line.socket.write(reads(url, ['slow:800', 'zeros:3000000', 'slow:1', 'note:a']))
    await told(server, 'begun slow:800')
    await pause(40)
    expect(events(server)).toEqual(['begun slow:800'])
    await expect.poll(() => line.text.includes('"text":"a"')).toBe(true)
    expect(line.responses.map(([status, body]) => [status, idOf(body)])).toEqual([
      [200, 0],
      [200, 1],
      [200, 2],
      [200, 3],
    ])
    expect(events(server)).toEqual([
      'begun slow:800',
      'opened zeros:3000000',
      'left zeros:3000000',
      'disposed zeros:3000000',
      'begun slow:1',
    ])
    line.socket.destroy()
  })

  it('are 503 beyond 16 on one connection, each in its place, and all others are answered', async () => {
    const { url } = await runHttp()
    const line = new Line(url)
    line.socket.write(reads(url, ['slow:800', ...Array.from({ length: 20 }, () => 'note:a')]))
    await line.answered(21)
    line.socket.write(reads(url, ['note:a']))
    await line.answered(22)
    expect(line.responses.map(([status, body]) => [status, idOf(body)])).toEqual([
      ...Array.from({ length: 17 }, (_, id) => [200, id]),
      ...Array.from({ length: 4 }, () => [503, undefined]),
      [200, 0],
    ])
    const message = 'Only 16 requests of a connection may wait for those before them'
    expect((JSON.parse(line.responses[17]![1]) as Wire).error).toEqual({ code: 10429, message, data: {} })
    line.socket.destroy()
  })

  it.skipIf(!TELLS)('leave nothing when their client goes', async () => {
    const { server, url } = await runHttp({ limits: { maxListeners: 1 } })
    await ask(url, readOf('modern', 1, 'note:a'))
    const before = await settled(() => descriptors(server))
    for (let id = 1; id <= 5; id++) {
      const line = new Line(url)
      line.socket.write(Buffer.concat([reads(url, [`hang:${id}`, 'zeros:4000000']), bytesOf(url, LISTEN)]))
      await told(server, `begun hang:${id}`)
      line.socket.destroy()
      await told(server, `aborted hang:${id}`)
    }
    await expect.poll(() => descriptors(server)).toBe(before)
    const stream = post(url, LISTEN)
    const collected = collect(stream)
    await expect.poll(() => collected.text).toContain('notifications/subscriptions/acknowledged')
    stream.destroy()
  })
})
