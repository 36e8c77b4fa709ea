import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isObject } from '../../protocol/index.ts'
import type { UncheckedObject } from '../../protocol/index.ts'

/** What HTTP answered, with the message in it where there is one. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The first JSON-RPC message of the body or the stream. */
  readonly message: UncheckedObject | undefined
}

/** So much of a body is read. */
const MOST_BYTES = 1024 * 1024

/** Asks one endpoint with any headers, `Host` and `Origin` among them; follows nowhere and keeps no connection. */
export class HttpProbe {
  readonly url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number

  /** @param headers what every request carries, such as a login; the server itself is all they are sent to */
  constructor(url: string | URL, headers: Readonly<Record<string, string>>, timeoutMs: number) {
    this.url = new URL(url)
    this.#headers = headers
    this.#timeoutMs = timeoutMs
  }

  /** Whether the endpoint is on this machine, where `Host` is a guard. */
  get loopback(): boolean {
    return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(this.url.hostname)
  }

  /** Sends one message. */
  post(message: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<HttpAnswer> {
    return this.send('POST', headers, JSON.stringify(message), signal)
  }

  /** Rejects where there is no answer in time. A stream is read up to its first message, and then left. */
  send(method: string, headers: Readonly<Record<string, string>>, body?: string, signal?: AbortSignal): Promise<HttpAnswer> {
    const request = this.url.protocol === 'https:' ? httpsRequest : httpRequest
    const limit = AbortSignal.timeout(this.#timeoutMs)
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url, {
        method,
        agent: false,
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
        headers: {
          accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
          ...this.#headers,
          ...headers,
        },
      })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        const { statusCode } = response
        // Nothing can be told from the answers of a server that wants fewer requests.
        if (statusCode === 429 || statusCode === 503) {
          outgoing.destroy()
          return reject(new Error(`it was answered with status ${statusCode}`))
        }
        const head = { status: statusCode ?? 0, headers: headersOf(response) }
        const settle = (message: UncheckedObject | undefined): void => {
          resolve({ ...head, message })
          outgoing.destroy()
        }
        // A stream of its own accord may never say anything.
        if (method === 'GET') return settle(undefined)
        read(response, settle)
      })
      outgoing.end(body)
    })
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}

function read(response: IncomingMessage, settle: (message: UncheckedObject | undefined) => void): void {
  const streams = (response.headers['content-type'] ?? '').startsWith('text/event-stream')
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    const found = streams ? eventOf(text) : undefined
    if (found !== undefined || text.length > MOST_BYTES) settle(found)
  })
  response.on('end', () => settle(streams ? eventOf(text) : messageOf(text)))
  response.on('error', () => settle(undefined))
}

/** The first answer in the events so far. */
function eventOf(text: string): UncheckedObject | undefined {
  const events = text.replace(/\r\n?/g, '\n').split('\n\n').slice(0, -1)
  for (const event of events) {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
    const message = messageOf(data.join('\n'))
    if (message !== undefined && !('method' in message)) return message
  }
  return undefined
}

function messageOf(text: string): UncheckedObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
