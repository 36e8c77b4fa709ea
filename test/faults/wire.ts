import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { beside, endpoint, MODERN, Program } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'

/** A server whose resources are slow, deaf, endless or in the way. */
export const WIRE_SERVER = beside('../faults/wire-server.mjs')

/** Linux tells of other processes; elsewhere these tests are skipped. */
export const TELLS = existsSync('/proc/self/status')

/** How many descriptors a process has open. */
export function descriptors({ child }: Program): number {
  return readdirSync(`/proc/${child.pid}/fd`).length
}

/** Resident memory of a process, in MiB. */
export function resident({ child }: Program): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** Ticks of a hundredth of a second that a process has computed. */
export function ticks({ child }: Program): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** Processes that a process has started. */
export function children({ child }: Program): number {
  return readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '').length
}

/** What became of resources, as the server tells it: `aborted hang:1`. */
export function events({ stderr }: Program): readonly string[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => {
      const { event, uri } = JSON.parse(line) as { event: string; uri: string }
      return `${event} ${uri}`
    })
}

/** Settles when the server has told of this. */
export function told(server: Program, event: string): Promise<true> {
  return server.until((program) => events(program).includes(event) || undefined)
}

/** Starts the server of these tests, which gets `options` in its environment. Whoever starts it ends it. */
export function startWire(args: readonly string[], options: object = {}): Program {
  return new Program(['--expose-gc', WIRE_SERVER, ...args], { env: { ...process.env, WIRE_OPTIONS: JSON.stringify(options) } })
}

/** The server of these tests, ended with the test. */
export function runWire(args: readonly string[], options: object = {}): Program {
  const server = startWire(args, options)
  onTestFinished(() => server.stop())
  return server
}

export interface HttpWire {
  readonly server: Program
  readonly url: string
}

export async function runHttp(options: object = {}): Promise<HttpWire> {
  const server = runWire(['--http'], options)
  return { server, url: await endpoint(server) }
}

/** Headers of a POST: those of the body where it is modern, and those of the session where there is one. */
export function headersOf(message: object, session: Record<string, string> = {}): Record<string, string> {
  const { method, params } = message as { method?: string; params?: { uri?: string; _meta?: object } }
  const modern = params?._meta !== undefined && 'io.modelcontextprotocol/protocolVersion' in params._meta
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(modern && method !== undefined && { 'mcp-protocol-version': MODERN, 'mcp-method': method }),
    ...(modern && params.uri !== undefined && { 'mcp-name': params.uri }),
    ...session,
  }
}

/** A POST as it goes over the wire. */
export function bytesOf(url: string, message: object | string, session?: Record<string, string>, last = false): Buffer {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  const headers = {
    host: new URL(url).host,
    ...headersOf(typeof message === 'string' ? {} : message, session),
    'content-length': Buffer.byteLength(body),
    ...(last && { connection: 'close' }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(['POST /mcp HTTP/1.1', ...lines, '', body].join('\r\n'))
}

/** A connection, and what came over it. */
export class Line {
  readonly socket: Socket
  text = ''
  closed = false

  constructor(url: string) {
    this.socket = connect(Number(new URL(url).port), '127.0.0.1')
    this.socket.setNoDelay(true)
    this.socket.setEncoding('utf8').on('data', (text: string) => {
      this.text += text
    })
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => {
      this.closed = true
    })
  }

  /** Settles when there are so many responses, or when there will be none. */
  async answered(count: number): Promise<void> {
    while (this.responses.length < count && !this.closed) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          this.socket.off('data', go)
          this.socket.off('close', go)
          resolve()
        }
        this.socket.on('data', go)
        this.socket.on('close', go)
      })
    }
  }

  /** Statuses and bodies so far. */
  get responses(): readonly (readonly [status: number, body: string])[] {
    return this.text
      .split('HTTP/1.1 ')
      .slice(1)
      .map((response) => [Number(response.slice(0, 3)), response.split('\r\n\r\n').slice(1).join('\r\n\r\n')] as const)
  }
}

/** A POST on a connection of its own, which ends with it. */
export function post(url: string, message: object, session?: Record<string, string>): ClientRequest {
  const sent = request(url, { method: 'POST', agent: false, headers: headersOf(message, session) })
  sent.on('error', () => undefined)
  sent.end(JSON.stringify(message))
  return sent
}

/** The GET stream of a legacy session. */
export function openStream(url: string, session: Record<string, string>): ClientRequest {
  const sent = request(url, { agent: false, headers: { ...session, accept: 'text/event-stream' } })
  sent.on('error', () => undefined)
  sent.end()
  return sent
}

/** The text of a response, as it comes. */
export function collect(sent: ClientRequest): { readonly text: string } {
  const collected = { text: '' }
  sent.on('response', (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      collected.text += text
    })
    response.on('error', () => undefined)
  })
  return collected
}

/** What is answered to a POST. */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('close', () => reject(new Error('closed without an answer')))
  })
}

/** Messages of a response, one object or events; those before it broke off, as `complete` of the response says. */
export async function messagesIn(response: IncomingMessage): Promise<readonly Wire[]> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  } catch {
    // An event is whole once an empty line has ended it; an object is not.
    text = text.startsWith('{') ? '' : text.slice(0, text.lastIndexOf('\n\n') + 1)
  }
  return text === '' ? [] : messagesOf(text)
}

/** Messages of the text of a response. */
export function messagesOf(text: string): readonly Wire[] {
  const bodies = text.startsWith('{') ? [text] : [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1]!)
  return bodies.map((body) => JSON.parse(body) as Wire)
}

/** The last message that is answered to a POST, with the status, and whether the body came to its end. */
export async function ask(
  url: string,
  message: object,
  session?: Record<string, string>,
): Promise<Wire & { status: number; whole: boolean }> {
  const response = await responseTo(post(url, message, session))
  const last = (await messagesIn(response)).at(-1)
  return { jsonrpc: '2.0', ...last, status: response.statusCode ?? 0, whole: response.complete }
}

/** A legacy session, as the headers that name it. */
export async function openSession(url: string, protocolVersion = '2025-11-25'): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {} }
  const response = await responseTo(post(url, { jsonrpc: '2.0', id: 'i', method: 'initialize', params }))
  await messagesIn(response)
  const session = { 'mcp-session-id': String(response.headers['mcp-session-id']), 'mcp-protocol-version': protocolVersion }
  await ask(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  return session
}

/** What `find` gives once it has been the same for a while. */
export async function settled<T>(find: () => T | Promise<T>, ms = 200): Promise<T> {
  let last = await find()
  for (let since = Date.now(); Date.now() - since < ms;) {
    await pause(20)
    const next = await find()
    if (JSON.stringify(next) !== JSON.stringify(last)) since = Date.now()
    last = next
  }
  return last
}
