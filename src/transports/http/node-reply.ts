import type { ServerResponse } from 'node:http'
import type { Frame } from '../../server/index.ts'
import { frameBytes } from '../../server/index.ts'
import { EventStream } from './event-stream.ts'
import type { OpenStreams } from './open-streams.ts'
import { LONG_TEXT, writePieces } from './outlet.ts'
import type { Outlet } from './outlet.ts'
import { NO_STORE } from './reply.ts'
import type { HeaderList, HttpReply, HttpStream } from './reply.ts'
import type { Unread, UnreadAnswer } from './unread.ts'

/** The reply to one request of `node:http`. */
export class NodeReply implements HttpReply {
  readonly #response: ServerResponse
  readonly #streams: OpenStreams
  readonly #unread: Unread
  readonly #always: HeaderList

  /** @param always headers of every answer. Default: that nobody stores it */
  constructor(response: ServerResponse, streams: OpenStreams, unread: Unread, always: HeaderList = NO_STORE) {
    this.#response = response
    this.#streams = streams
    this.#unread = unread
    this.#always = always
  }

  send(status: number, headers: HeaderList, body: Frame = ''): void | Promise<void> {
    const response = this.#response
    if (response.destroyed) return undefined
    // A 204 has no length, not even none (RFC 9110 section 8.6).
    const length = status === 204 ? [] : ['content-length', String(lengthOf(body))]
    response.writeHead(status, [...headers, ...this.#always, ...length])
    if (typeof body === 'string' && body.length <= LONG_TEXT) {
      if (response.req.complete) response.end(body)
      else endWithRequest(response, body)
      return undefined
    }
    return writePieces(new NodeOutlet(response, this.#unread), typeof body === 'string' ? [body] : body).then((whole) => {
      if (whole) response.end()
    })
  }

  open(status: number, headers: HeaderList): HttpStream {
    this.#response.writeHead(status, [...headers, ...this.#always])
    this.#response.flushHeaders()
    return new EventStream(new NodeOutlet(this.#response, this.#unread), this.#streams)
  }

  break(): void {
    this.#response.destroy()
  }
}

/**
 * Says all at once, and ends when the body of the request does, which somebody must drain: a connection that is closed
 * with bytes unread is reset, and takes the answer with it (RFC 9112 section 9.6).
 */
function endWithRequest(response: ServerResponse, body: string): void {
  if (body === '') response.flushHeaders()
  else response.write(body)
  response.req.once('end', () => response.end())
}

function lengthOf(body: Frame): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : frameBytes(body)
}

/** The body of an answer of `node:http`. */
class NodeOutlet implements Outlet {
  readonly #response: ServerResponse
  readonly #unread: Unread

  constructor(response: ServerResponse, unread: Unread) {
    this.#response = response
    this.#unread = unread
  }

  get gone(): boolean {
    return this.#response.destroyed
  }

  get full(): boolean {
    return this.#response.writableNeedDrain
  }

  write(chunk: string | Uint8Array): boolean {
    return this.#response.write(chunk)
  }

  room(): Promise<void> {
    const response = this.#response
    if (response.destroyed || !response.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.on('drain', done)
      response.on('close', done)
    })
  }

  end(): void {
    this.#response.end()
  }

  break(): void {
    this.#response.destroy()
  }

  hold(frame: Frame): UnreadAnswer {
    return this.#unread.add(frame, () => this.break())
  }

  whenGone(call: () => void): void {
    this.#response.once('close', call)
  }
}
