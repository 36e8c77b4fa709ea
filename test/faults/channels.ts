import type { ClientRequest } from 'node:http'
import { endpoint, modern, opening } from '../e2e/command-line.ts'
import type { Program, Wire } from '../e2e/command-line.ts'
import { ask, collect, messagesOf, openSession, openStream, post, responseTo, startWire } from './wire.ts'

type Era = 'legacy' | 'modern'

/** One client of the server of these tests, in one era and on one transport. */
export interface Channel {
  readonly server: Program
  /** Asks for a resource, with further members of `_meta`. */
  read(id: number | string, uri: string, meta?: object): void
  /** Gives up on a request in the way of the era and the transport. */
  cancel(id: number | string): Promise<void>
  /** Sends `notifications/cancelled` with these parameters. */
  cancelled(params: object): Promise<void>
  /** All messages so far, whole ones alone. */
  messages(): readonly Wire[]
  /** What is answered to a read. */
  answer(id: number | string, uri: string): Promise<Wire>
  /** Ends the server. */
  close(): Promise<void>
}

/** A read as a message. */
export function readOf(era: Era, id: number | string, uri: string, meta: object = {}): object {
  if (era === 'legacy') return { jsonrpc: '2.0', id, method: 'resources/read', params: { uri, _meta: meta } }
  const message = modern(0, 'resources/read', { uri }) as { params: { _meta: object } }
  return { ...message, id, params: { ...message.params, _meta: { ...message.params._meta, ...meta } } }
}

/** Lines of standard output that are messages: a line may be broken off. */
export function wholeLines({ stdout }: Program): readonly Wire[] {
  return stdout.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Wire]
    } catch {
      return []
    }
  })
}

async function openStdio(era: Era): Promise<Channel> {
  const server = startWire([])
  if (era === 'legacy') {
    server.send(...opening(0))
    await server.answer(0)
  }
  const answer = (id: number | string) => server.until(() => wholeLines(server).find((message) => message.id === id))
  const cancelled = async (params: object) => server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  return {
    server,
    read: (id, uri, meta) => server.send(readOf(era, id, uri, meta)),
    cancel: (requestId) => cancelled({ requestId, reason: 'enough' }),
    cancelled,
    messages: () => wholeLines(server),
    answer: (id, uri) => {
      server.send(readOf(era, id, uri))
      return answer(id)
    },
    close: () => server.stop(),
  }
}

async function openHttp(era: Era): Promise<Channel> {
  const server = startWire(['--http'])
  const url = await endpoint(server)
  const session = era === 'legacy' ? await openSession(url) : undefined
  const collected: { readonly text: string }[] = []
  if (session !== undefined) {
    const stream = openStream(url, session)
    collected.push(collect(stream))
    await responseTo(stream)
  }
  const sent = new Map<number | string, ClientRequest>()
  const cancelled = async (params: object) => {
    await ask(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, session)
  }
  return {
    server,
    read: (id, uri, meta) => {
      const read = post(url, readOf(era, id, uri, meta), session)
      sent.set(id, read)
      collected.push(collect(read))
    },
    cancel: async (id) => {
      if (era === 'legacy') await cancelled({ requestId: id, reason: 'enough' })
      else sent.get(id)?.destroy()
    },
    cancelled,
    messages: () => collected.flatMap(({ text }) => wholeMessages(text)),
    answer: (id, uri) => ask(url, readOf(era, id, uri), session),
    close: () => server.stop(),
  }
}

function wholeMessages(text: string): readonly Wire[] {
  try {
    return messagesOf(text)
  } catch {
    return []
  }
}

/** Every way to connect, by name. */
export const CHANNELS: readonly (readonly [name: string, open: () => Promise<Channel>, era: Era])[] = [
  ['legacy client on stdio', () => openStdio('legacy'), 'legacy'],
  ['modern client on stdio', () => openStdio('modern'), 'modern'],
  ['legacy client over HTTP', () => openHttp('legacy'), 'legacy'],
  ['modern client over HTTP', () => openHttp('modern'), 'modern'],
]
