import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modern } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'
import { CHANNELS, readOf } from './channels.ts'
import type { Channel } from './channels.ts'
import { ask, collect, openSession, openStream, post, responseTo, runHttp } from './wire.ts'

const PROGRESS = 'notifications/progress'

/** What a client was told since, in order: the step, or the id of an answer. */
function said(messages: readonly Wire[], token: unknown): readonly unknown[] {
  return messages
    .filter(({ method, params }) => method === undefined || params?.['progressToken'] === token)
    .map(({ params, id }) => params?.['progress'] ?? id)
}

describe.each(CHANNELS)('progress to a %s', (_name, open) => {
  let channel: Channel
  beforeAll(async () => {
    channel = await open()
  })
  afterAll(() => channel.close())

  /** All messages from one read to an answer that comes well after it. */
  async function around(id: string, meta: object): Promise<readonly Wire[]> {
    const before = channel.messages().length
    channel.read(id, 'steps:3', meta)
    await expect.poll(() => channel.messages().some((message) => message.id === id)).toBe(true)
    await pause(40)
    await channel.answer(`after ${id}`, 'note:a')
    return channel.messages().slice(before)
  }

  it.each([['text'], [''], [0], [17]])('has the token %j, grows, and ends with the answer', async (progressToken) => {
    const id = `token ${progressToken}`
    const messages = await around(id, { progressToken })
    const told = messages.filter(({ method }) => method === PROGRESS)
    expect(told.map(({ params }) => params)).toEqual([1, 2, 3].map((progress) => ({ progressToken, progress, total: 3 })))
    expect(said(messages, progressToken).slice(0, 4)).toEqual([1, 2, 3, id])
  })

  it.each([[{}], [{ progressToken: null }], [{ progressToken: 1.5 }], [{ progressToken: {} }], [{ progressToken: true }]])(
    'is none with %j',
    async (meta) => {
      const messages = await around(`none ${JSON.stringify(meta)}`, meta)
      expect(messages.filter(({ method }) => method === PROGRESS)).toEqual([])
    },
  )

  it('is of one request, however many there are at once', async () => {
    const before = channel.messages().length
    const tokens = Array.from({ length: 20 }, (_, index) => `many ${index}`)
    for (const progressToken of tokens) channel.read(progressToken, 'steps:5', { progressToken })
    const since = () => channel.messages().slice(before)
    await expect.poll(() => since().filter(({ id }) => tokens.includes(String(id))).length).toBe(20)
    const ofOne = (token: string) => since().filter(({ id, params }) => id === token || params?.['progressToken'] === token)
    for (const token of tokens) expect(said(ofOne(token), token)).toEqual([1, 2, 3, 4, 5, token])
  })
})

describe('progress over HTTP', () => {
  it('is on the stream of its request, and on no other of this client or of another', async () => {
    const { url } = await runHttp()
    const sessions = [await openSession(url), await openSession(url)]
    const streams = sessions.map((session) => openStream(url, session))
    streams.push(post(url, modern(1, 'subscriptions/listen', { notifications: { resourcesListChanged: true } })))
    const collected = streams.map(collect)
    await Promise.all(streams.map(responseTo))
    const own = await ask(url, readOf('legacy', 9, 'steps:3', { progressToken: 1 }), sessions[0])
    const others = await ask(url, readOf('modern', 9, 'steps:3', { progressToken: 1 }))
    expect([own.result, others.result]).toMatchObject([{ contents: [{ text: 'done' }] }, { contents: [{ text: 'done' }] }])
    await expect.poll(() => collected[2]?.text).toContain('acknowledged')
    await pause(60)
    expect(collected.map(({ text }) => text.match(/"method":"[^"]*"/g))).toEqual([
      null,
      null,
      ['"method":"notifications/subscriptions/acknowledged"'],
    ])
    for (const stream of streams) stream.destroy()
  })
})
