import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { modern } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, bytesOf, descriptors, resident, runHttp, settled, TELLS } from './wire.ts'

/** How many descriptors a process may open here. */
function mostDescriptors(): number {
  const limit = /^Max open files\s+\d+\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return limit === 'unlimited' ? Infinity : Number(limit)
}

/** 10,000, or what is left of the descriptors of this machine when both sides have their own. */
const MANY = TELLS ? Math.min(10_000, mostDescriptors() - 500) : 0

const LISTEN = modern(7, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['note:a'] } })

/** Streams of one server, and what was said on them. */
class Streams {
  readonly #url: string
  readonly #sockets: Socket[] = []
  acknowledged = 0
  updated = 0
  closed = 0
  #wanted: (() => boolean) | undefined
  #reached: (() => void) | undefined

  constructor(url: string) {
    this.#url = url
  }

  get length(): number {
    return this.#sockets.length
  }

  open(): void {
    const socket = connect(Number(new URL(this.#url).port), '127.0.0.1')
    this.#sockets.push(socket)
    socket.write(bytesOf(this.#url, LISTEN))
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (text.includes('/acknowledged"')) this.acknowledged++
      if (text.includes('/updated"')) this.updated++
      if (this.#wanted?.()) this.#reached?.()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => this.closed++)
  }

  /** Settles when what was said makes it true. */
  async until(wanted: () => boolean): Promise<void> {
    if (wanted()) return
    await new Promise<void>((resolve) => {
      this.#wanted = wanted
      this.#reached = resolve
    })
    this.#wanted = undefined
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy()
  }
}

describe.skipIf(!TELLS)('serveHttp() with as many listen streams as this machine lets it have', () => {
  it(
    'serveHttp() tells all of them, refuses one more before it is acknowledged, and forgets them',
    { timeout: 60_000 },
    async () => {
      const { server, url } = await runHttp({ limits: { maxListeners: MANY } })
      await ask(url, readOf('modern', 1, 'note:a'))
      const before = { descriptors: await settled(() => descriptors(server)), resident: resident(server) }
      const streams = new Streams(url)
      const begun = performance.now()
      while (streams.length < MANY) {
        for (let i = 0; i < 100 && streams.length < MANY; i++) streams.open()
        const { length } = streams
        await streams.until(() => streams.acknowledged === length)
      }
      const opened = performance.now() - begun
      expect([streams.acknowledged, descriptors(server) - before.descriptors]).toEqual([MANY, MANY])
      const held = resident(server) - before.resident

      const refused = await ask(url, LISTEN)
      expect(refused).toMatchObject({ id: 7, error: { code: 10_429, message: `This server serves ${MANY} listeners, no more` } })
      expect(streams.acknowledged).toBe(MANY)

      const changed = performance.now()
      expect((await ask(url, readOf('modern', 2, 'do:update/note:a'))).result).toBeDefined()
      await streams.until(() => streams.updated === MANY)
      const told = performance.now() - changed
      expect((await ask(url, readOf('modern', 3, 'note:a'))).result).toBeDefined()
      await pause(300)
      expect([streams.updated, streams.closed]).toEqual([MANY, 0])

      streams.close()
      await expect.poll(() => descriptors(server), { timeout: 20_000 }).toBe(before.descriptors)
      const again = new Streams(url)
      again.open()
      await again.until(() => again.acknowledged === 1)
      again.close()
      process.stdout.write(
        `${MANY} listen streams: opened in ${opened.toFixed(0)} ms, ${held.toFixed(0)} MiB more resident, ` +
          `all told of one update ${told.toFixed(0)} ms after it was asked for, of which 100 ms are the window of changes\n`,
      )
    },
  )
})
