import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Wire } from '../e2e/command-line.ts'
import { CHANNELS, readOf } from './channels.ts'
import type { Channel } from './channels.ts'
import { bytesOf, events, openSession, runHttp, told } from './wire.ts'

describe.each(CHANNELS)('ids of a %s', (name, open) => {
  let channel: Channel
  beforeAll(async () => {
    channel = await open()
  })
  afterAll(() => channel.close())

  it('are apart as "1" and 1', async () => {
    channel.read(1, 'hang:number')
    channel.read('1', 'slow:60')
    await told(channel.server, 'begun hang:number')
    await expect
      .poll(() => channel.messages().find(({ id }) => id === '1')?.result)
      .toMatchObject({
        contents: [{ text: 'slow' }],
      })
    await channel.cancel(1)
    await told(channel.server, 'aborted hang:number')
    expect(channel.messages().filter(({ id }) => id === 1)).toEqual([])
  })

  // There each request is a connection of its own.
  if (name === 'modern client over HTTP') return

  it('are refused while they are in flight, and the first is unharmed', async () => {
    channel.read('twin', 'slow:1000')
    await told(channel.server, 'begun slow:1000')
    for (let i = 0; i < 5; i++) channel.read('twin', 'hang:never')
    const twins = () => channel.messages().filter(({ id }) => id === 'twin')
    await expect.poll(() => twins().length).toBe(6)
    expect(twins().filter(({ error }) => error?.code === -32600)).toHaveLength(5)
    expect(twins().filter(({ result }) => result !== undefined)).toMatchObject([{ result: { contents: [{ text: 'slow' }] } }])
    expect(events(channel.server)).not.toContain('begun hang:never')
    expect((await channel.answer('later', 'note:a')).result).toBeDefined()
  })
})

describe('the same ids on 200 connections', () => {
  it('never get the answers of another in 10,000 reads, of both eras at once', async () => {
    const { url } = await runHttp()
    const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(url)))
    let mismatches = 0
    let answers = 0
    const client = async (name: number): Promise<void> => {
      // Half of them are modern; of the others ten share a session, where ids must differ.
      const session = name % 2 === 0 ? undefined : sessions[((name - 1) / 2) % 10]
      const idOf = (turn: number) => (session === undefined ? turn : `${name}-${turn}`)
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (more: string) => {
        text += more
      })
      for (let turn = 0; turn < 50; turn++) {
        const era = session === undefined ? 'modern' : 'legacy'
        socket.write(bytesOf(url, readOf(era, idOf(turn), `echo:${name}/${turn}`), session, turn === 49))
      }
      await once(socket, 'close')
      const bodies = text.split('HTTP/1.1 ').slice(1)
      bodies.forEach((response, turn) => {
        const { id, result } = JSON.parse(response.split('\r\n\r\n')[1]!) as Wire
        const [contents] = (result?.['contents'] ?? []) as { text: string }[]
        answers++
        if (id !== idOf(turn) || contents?.text !== `${name}/${turn}`) mismatches++
      })
    }
    await Promise.all(Array.from({ length: 200 }, (_, name) => client(name)))
    expect([answers, mismatches]).toEqual([10_000, 0])
  })
})
