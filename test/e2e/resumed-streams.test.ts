import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { ShelfError } from '../../src/index.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import type { HttpConnectOptions } from '../../src/transports/http/index.ts'
import { answerTo, endpointThat, EVENTS, JSON_TYPE } from '../faults/hostile-endpoint.ts'
import type { Asked } from '../faults/hostile-endpoint.ts'
import { talk } from '../talk.ts'

type Answer = (response: ServerResponse, message: Asked['message']) => void

/** A legacy server that begins a stream for `ping` as it is told, and goes on with it in the same way, by the last event. */
async function against(begin: Answer, goOn: Readonly<Record<string, Answer>>, options: HttpConnectOptions = {}) {
  const takenUp: string[] = []
  let asked: Asked['message'] = {}
  const { url } = await endpointThat(({ request, response, message }) => {
    const lastEvent = request.headers['last-event-id']
    if (typeof lastEvent === 'string') {
      takenUp.push(lastEvent)
      goOn[lastEvent]!(response, asked)
    } else if (request.method !== 'POST') response.writeHead(405).end()
    else if (message.id === undefined) response.writeHead(202).end()
    else if (message.method === 'ping') begin(response, (asked = message))
    else response.writeHead(200, JSON_TYPE).end(answerTo(message))
  })
  const opened = await talk(connectHttp(url, options))
  return { opened, takenUp }
}

const ends =
  (text: string): Answer =>
  (response) =>
    void response.writeHead(200, EVENTS).end(text)

const answers: Answer = (response, message) => void response.writeHead(200, EVENTS).end(`data: ${answerTo(message)}\n\n`)

/** Sends `ping` and resolves with why it is not answered. */
function lost({ opened }: Awaited<ReturnType<typeof against>>): Promise<ShelfError | undefined> {
  return new Promise((onRequestStreamEnd) => {
    void opened.ask('ping', {}, { onRequestStreamEnd })
  })
}

describe('connectHttp()', () => {
  it('connectHttp() takes up the stream of a legacy request that its server ended before the answer', async () => {
    const poll = ends('id: second\nretry: 1\ndata:\n\n')
    const server = await against(ends('id: first\nretry: 1\ndata:\n\n'), { first: poll, second: answers })
    await server.opened.initialize()
    expect((await server.opened.ask('ping')).result).toEqual({})
    expect(server.takenUp).toEqual(['first', 'second'])
  })

  it('connectHttp() takes up the stream of a legacy request that was cut off', async () => {
    const cut: Answer = (response) => response.writeHead(200, EVENTS).write('id: first\ndata:\n\n', () => response.destroy())
    const server = await against(cut, { first: answers })
    await server.opened.initialize()
    expect((await server.opened.ask('ping')).result).toEqual({})
    expect(server.takenUp).toEqual(['first'])
  })

  it.each<[string, Answer]>([
    ['knows it no more', (response) => void response.writeHead(404).end()],
    ['offers none', (response) => void response.writeHead(405).end()],
    ['fails', (response) => void response.writeHead(500).end()],
    ['answers with something else', (response) => void response.writeHead(200, JSON_TYPE).end('{}')],
    ['is gone', (response) => void response.destroy()],
  ])('connectHttp() tries to take up a stream once where the server %s', async (_name, goOn) => {
    const server = await against(ends('id: first\ndata:\n\n'), { first: goOn })
    await server.opened.initialize()
    expect(await lost(server)).toMatchObject({ code: 'unavailable' })
    expect(server.takenUp).toEqual(['first'])
  })

  it('connectHttp() takes up no stream without an event to begin after, and none of the modern era', async () => {
    const unnamed = await against(ends(': nothing\n\n'), {})
    await unnamed.opened.initialize()
    expect(await lost(unnamed)).toMatchObject({ code: 'unavailable' })
    const modern = await against(ends('id: first\ndata:\n\n'), {})
    expect(await lost(modern)).toMatchObject({ code: 'unavailable' })
    expect([...unnamed.takenUp, ...modern.takenUp]).toEqual([])
  })

  it('connectHttp() does not ask again for an event that is too large', async () => {
    const large = ends(`id: first\nretry: 3600000\ndata:\n\ndata: ${'x'.repeat(2_000)}\n\n`)
    const server = await against(large, {}, { maxFrame: 1_000 })
    await server.opened.initialize()
    expect(await lost(server)).toMatchObject({ code: 'too-large' })
    expect(server.takenUp).toEqual([])
  })

  it('connectHttp() leaves a stream alone once nobody waits for its answer', async () => {
    const given = new AbortController()
    const begin: Answer = (response, message) =>
      response
        .on('finish', () => setTimeout(() => given.abort(), 20))
        .writeHead(200, EVENTS)
        .end(`id: of ${message.id}\nretry: 1000\ndata:\n\n`)
    const server = await against(begin, { 'of 2': answers, 'of 3': answers })
    await server.opened.initialize()
    void server.opened.ask('ping', {}, { requestSignal: given.signal })
    expect((await server.opened.ask('ping')).id).toBe(3)
    expect(server.takenUp).toEqual(['of 3'])
  })
})
