import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Program } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, bytesOf, descriptors, events, Line, runHttp, settled, TELLS } from './wire.ts'

const MB = 1_000_000

/** More than the buffers of two sockets take. */
const MUCH = 40 * MB

/** A client that asks once and takes what comes in pieces of so many bytes, one for each call of `take`. */
function slowly(url: string, uri: string, size: number): { readonly socket: Socket; taken: number; take(): void } {
  const slow = { taken: 0, take: () => void socket.resume(), socket: undefined as unknown as Socket }
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    onread: {
      buffer: Buffer.alloc(size),
      callback: (count) => {
        slow.taken += count
        // Reads no further until it is told to.
        return false
      },
    },
  })
  socket.on('error', () => undefined)
  socket.write(bytesOf(url, readOf('modern', 1, uri)))
  onTestFinished(() => void socket.destroy())
  return Object.assign(slow, { socket })
}

async function memory(url: string): Promise<number> {
  const { result } = await ask(url, readOf('modern', 1, `probe:${Math.random()}`))
  return (JSON.parse((result?.['contents'] as [{ text: string }])[0].text) as { memory: number }).memory
}

const count = (server: Program, what: string) => events(server).filter((event) => event.startsWith(what)).length

describe.skipIf(!TELLS)('serveHttp() to clients that do not read, or one byte at a time', () => {
  it('serveHttp() holds little for them, answers others, and closes them when they have stalled', async () => {
    const { server, url } = await runHttp({ stallMs: 1_500, limits: { maxRead: MUCH } })
    await ask(url, readOf('modern', 1, 'note:a'))
    const before = { descriptors: await settled(() => descriptors(server)), memory: await memory(url) }
    const clients = Array.from({ length: 20 }, () => slowly(url, `zeros:${MUCH}`, 1))
    const stop = setInterval(() => {
      for (const client of clients.slice(10)) client.take()
    }, 50)
    onTestFinished(() => clearInterval(stop))
    await expect.poll(() => count(server, 'opened')).toBe(20)
    for (let i = 0; i < 200; i++) expect((await ask(url, readOf('modern', i, 'note:a'))).id).toBe(i)
    const held = (await memory(url)) - before.memory
    expect(count(server, 'disposed')).toBe(0)
    // A piece of 192 KiB, its base64, and what waits in the socket: for each.
    expect(held).toBeLessThan(20 * 1.5 * MB)
    await expect.poll(() => count(server, 'disposed'), { timeout: 10_000 }).toBe(20)
    await expect.poll(() => descriptors(server)).toBe(before.descriptors)
    await expect.poll(() => memory(url), { timeout: 5_000 }).toBeLessThan(before.memory + 2 * MB)
    expect(clients.slice(10).every(({ taken }) => taken > 10)).toBe(true)
    expect((await ask(url, readOf('modern', 1, 'note:a'))).result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('serveHttp() gives everything to a client that is slow and does not stall', async () => {
    const { server, url } = await runHttp({ stallMs: 500, limits: { maxRead: MUCH } })
    const client = slowly(url, `zeros:${MUCH}`, MB)
    const stop = setInterval(() => client.take(), 40)
    onTestFinished(() => clearInterval(stop))
    const whole = Math.ceil(MUCH / 3) * 4
    await expect.poll(() => client.taken, { timeout: 15_000 }).toBeGreaterThan(whole)
    expect(client.socket.destroyed).toBe(false)
    expect(events(server)).toEqual([`opened zeros:${MUCH}`, `left zeros:${MUCH}`, `disposed zeros:${MUCH}`])
  })

  it('serveHttp() cuts off who reads nothing of long texts when they are too many, and nobody who reads', async () => {
    const { server, url } = await runHttp({ maxUnread: 3.5 * MUCH, limits: { maxRead: MUCH } })
    await ask(url, readOf('modern', 1, 'note:a'))
    const before = { descriptors: await settled(() => descriptors(server)), memory: await memory(url) }
    const clients = []
    for (let i = 0; i < 3; i++) clients.push(slowly(url, `text:${MUCH}`, 1))
    await expect.poll(() => memory(url)).toBeGreaterThan(before.memory + 2.5 * MUCH)
    // Within the limit they may take their time.
    await pause(2_400)
    expect(descriptors(server)).toBe(before.descriptors + 3)
    const reader = new Line(url)
    reader.socket.write(bytesOf(url, readOf('modern', 4, `text:${MUCH}`), undefined, true))
    await once(reader.socket, 'close')
    expect(reader.text.length).toBeGreaterThan(MUCH)
    await expect.poll(() => descriptors(server)).toBe(before.descriptors + 2)
    for (const { socket } of clients) socket.destroy()
    await expect.poll(() => descriptors(server)).toBe(before.descriptors)
    await expect.poll(() => memory(url), { timeout: 5_000 }).toBeLessThan(before.memory + 2 * MB)
  })
})
