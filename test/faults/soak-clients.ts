import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { modern, opening } from '../e2e/command-line.ts'
import type { Program, Wire } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, bytesOf, collect, Line, openSession, openStream, post, responseTo } from './wire.ts'

/** How many files there are to begin with; every thirtieth is binary. */
export const FILES = 300

/** Numbers from 0 to 1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What went on, by name. */
export class Tally {
  readonly counts = new Map<string, number>()
  /** Answers that nobody may get. */
  readonly wrong: string[] = []

  add(what: string, count = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + count)
  }

  /** An answer, which may be an error that says what is so, or break off where a file became shorter as it was sent. */
  answer(what: string, answer: Wire & { readonly status?: number; readonly whole?: boolean }): void {
    this.add(what)
    const { error, result, status = 200, whole = true } = answer
    if (what === 'reads' && !whole && result === undefined && status === 200) return this.add('broken answers')
    const known = error === undefined ? result !== undefined : [-32002, -32602, 10_429, 10_503].includes(error.code)
    if (!known || ![200, 202].includes(status)) this.wrong.push(`${what}: ${JSON.stringify(answer).slice(0, 300)}`)
  }

  toString(): string {
    return [...this.counts].map(([what, count]) => `${count} ${what}`).join(', ')
  }
}

const name = (index: number): string => `d${index % 10}/f${index}.${index % 30 === 0 ? 'bin' : 'md'}`
export const uri = (index: number): string => `file:///docs/${name(index)}`

export function write(folder: string, index: number, length: number): void {
  writeFileSync(join(folder, name(index)), Buffer.alloc(index % 30 === 0 ? length * 200 : length, 97 + (length % 26)))
}

/** What clients of both eras may ask. */
function requestOf(era: 'legacy' | 'modern', id: number | string, roll: () => number): readonly [what: string, message: object] {
  const index = Math.floor(roll() * FILES * 1.1)
  const call = (method: string, params: object) =>
    era === 'modern' ? { ...modern(0, method, params), id } : { jsonrpc: '2.0', id, method, params }
  const dice = roll()
  if (dice < 0.5) return ['reads', readOf(era, id, uri(index))]
  if (dice < 0.65) return ['lists', call('resources/list', {})]
  if (dice < 0.8) {
    const ref = { type: 'ref/resource', uri: 'file:///docs/{+path}' }
    return ['completions', call('completion/complete', { ref, argument: { name: 'path', value: `d${index % 10}/` } })]
  }
  if (dice < 0.95) return ['directories', call('resources/directory/read', { uri: `file:///docs/d${index % 12}` })]
  return ['templates', call('resources/templates/list', {})]
}

function notifications(text: string): number {
  return text.match(/\/(?:updated|list_changed)"/g)?.length ?? 0
}

/** One modern client over HTTP, until it is time. */
export async function modernClient(url: string, roll: () => number, goOn: () => boolean, tally: Tally): Promise<void> {
  while (goOn()) {
    const dice = roll()
    if (dice < 0.7) {
      const [what, message] = requestOf('modern', 1, roll)
      tally.answer(what, await ask(url, message))
    } else if (dice < 0.8) {
      const uris = Array.from({ length: 20 }, () => uri(Math.floor(roll() * FILES)))
      const filter = { resourcesListChanged: true, resourceSubscriptions: uris }
      const stream = post(url, modern(1, 'subscriptions/listen', { notifications: filter }))
      const heard = collect(stream)
      await responseTo(stream)
      await pause(roll() * 1_000)
      stream.destroy()
      tally.add('listen streams')
      tally.add('notifications', notifications(heard.text))
    } else if (dice < 0.9) {
      const stream = post(url, readOf('modern', 1, uri(30 * Math.floor(roll() * 10))))
      await pause(roll() * 10)
      stream.destroy()
      tally.add('disconnects')
    } else {
      const line = new Line(url)
      const whole = bytesOf(url, readOf('modern', 1, uri(1)))
      line.socket.write(roll() < 0.5 ? whole.subarray(0, Math.floor(roll() * whole.length)) : Buffer.from('\0\xff{]\r\n\r\n'))
      await pause(roll() * 20)
      line.socket.resetAndDestroy()
      tally.add('malformed frames')
    }
    await pause(roll() * 60)
  }
}

/** One legacy client over HTTP after the other, until it is time. */
export async function legacyClient(url: string, roll: () => number, goOn: () => boolean, tally: Tally): Promise<void> {
  while (goOn()) {
    const session = await openSession(url, roll() < 0.5 ? '2025-11-25' : '2025-03-26')
    const stream = openStream(url, session)
    const heard = collect(stream)
    await responseTo(stream)
    tally.add('sessions')
    for (let turn = 0; turn < 20 && goOn(); turn++) {
      const dice = roll()
      if (dice < 0.6) {
        const [what, message] = requestOf('legacy', turn, roll)
        tally.answer(what, await ask(url, message, session))
      } else if (dice < 0.8) {
        const method = dice < 0.75 ? 'resources/subscribe' : 'resources/unsubscribe'
        const message = { jsonrpc: '2.0', id: turn, method, params: { uri: uri(Math.floor(roll() * FILES)) } }
        tally.answer('subscriptions', await ask(url, message, session))
      } else if (dice < 0.95) {
        const sent = post(url, readOf('legacy', turn, uri(30 * Math.floor(roll() * 10))), session)
        const answered = new Promise((resolve) => {
          sent.on('close', resolve)
        })
        sent.on('response', (response) => response.on('error', () => undefined).resume())
        await pause(roll() * 5)
        await ask(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: turn } }, session)
        await answered
        tally.add('cancels')
      } else {
        tally.add('malformed frames')
        await ask(url, { jsonrpc: '2.0', id: null, method: 7 }, session)
      }
      await pause(roll() * 60)
    }
    tally.add('notifications', notifications(heard.text))
    if (roll() < 0.5) stream.destroy()
    await new Promise<void>((resolve) => {
      const ended = request(url, { method: 'DELETE', agent: false, headers: session }, (response) => response.resume())
      ended.on('error', () => undefined)
      ended.on('close', () => resolve())
      ended.end()
    })
    stream.destroy()
  }
}

function parse(line: string): Wire | undefined {
  try {
    return JSON.parse(line) as Wire
  } catch {
    return undefined
  }
}

/** A client of both eras on stdio, with many requests at once, until it is time and all have been answered or cancelled. */
export async function stdioClient(server: Program, roll: () => number, goOn: () => boolean, tally: Tally): Promise<void> {
  let rest = ''
  const open = new Map<string, string>()
  server.child.stdout.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const message = parse(line)
      // A file that became shorter while it was sent, for one. An error with the same id says so.
      if (message === undefined) tally.add('broken lines')
      else if (message.method !== undefined) tally.add('notifications')
      else if (message.id === undefined) tally.add('refusals')
      else {
        const what = open.get(String(message.id))
        if (what !== undefined) tally.answer(what, message)
        open.delete(String(message.id))
      }
    }
  })
  server.send(...opening('open'))
  for (let turn = 0; goOn(); turn++) {
    while (open.size > 50) await pause(5)
    const era = roll() < 0.5 ? 'legacy' : 'modern'
    const dice = roll()
    const id = `${era} ${turn}`
    if (dice < 0.75) {
      const [what, message] = requestOf(era, id, roll)
      open.set(id, what)
      server.send(message)
      if (roll() < 0.2) {
        server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        open.delete(id)
        tally.add('cancels')
      }
    } else if (dice < 0.85) {
      const filter = { resourceSubscriptions: [uri(turn % FILES)], resourcesListChanged: true }
      server.send({ ...modern(0, 'subscriptions/listen', { notifications: filter }), id })
      tally.add('listen streams')
      await pause(roll() * 50)
      server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    } else {
      server.child.stdin.write(roll() < 0.5 ? '{"jsonrpc":"2.0",\n' : Buffer.from([0, 255, 10]))
      tally.add('malformed frames')
    }
    await pause(roll() * 20)
  }
  while (open.size > 0) await pause(20)
}

/** Files that come, change, move and go, until it is time. */
export async function writer(folder: string, roll: () => number, goOn: () => boolean, tally: Tally): Promise<void> {
  while (goOn()) {
    const index = Math.floor(roll() * FILES)
    const dice = roll()
    if (dice < 0.8) write(folder, index, 1 + Math.floor(roll() * 5_000))
    else if (dice < 0.9) rmSync(join(folder, name(index)), { force: true })
    else {
      write(folder, index, 10)
      renameSync(join(folder, name(index)), join(folder, `d${index % 10}`, `moved${index % 7}.md`))
    }
    tally.add('changes of files')
    await pause(20 + roll() * 60)
  }
}
