import type { ServerResponse } from 'node:http'
import { base64Chunks } from '../../runtime/index.ts'
import type { Frame } from '../../server/index.ts'
import { frameBytes } from '../../server/index.ts'
import type { HeaderList, HttpReply, HttpStream } from './reply.ts'

const NO_STORE = ['cache-control', 'no-store'] as const

/** The reply to one request of `node:http`. */
export class NodeReply implements HttpReply {
  readonly #response: ServerResponse
  readonly #streams: Set<NodeStream>

  constructor(response: ServerResponse, streams: Set<NodeStream>) {
    this.#response = response
    this.#streams = streams
  }

  send(status: number, headers: HeaderList, body: Frame = ''): void | Promise<void> {
    const response = this.#response
    if (response.destroyed) return undefined
    if (typeof body === 'string') {
      // A 204 has no length, not even none (RFC 9110 section 8.6).
      const length = status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))]
      response.writeHead(status, [...headers, ...NO_STORE, ...length])
      response.end(body)
      return undefined
    }
    response.writeHead(status, [...headers, ...NO_STORE, 'content-length', String(frameBytes(body))])
    return writePieces(response, body).then((whole) => {
      if (whole) response.end()
    })
  }

  open(status: number, headers: HeaderList): HttpStream {
    this.#response.writeHead(status, [...headers, ...NO_STORE])
    this.#response.flushHeaders()
    return new NodeStream(this.#response, this.#streams)
  }
}

/** A stream of events on `node:http`. */
export class NodeStream implements HttpStream {
  readonly ended: Promise<void>
  readonly #response: ServerResponse
  #last: Promise<void> | undefined

  constructor(response: ServerResponse, streams: Set<NodeStream>) {
    this.#response = response
    if (response.destroyed) {
      // The client left before there was anything to say, and 'close' does not come twice.
      this.ended = Promise.resolve()
      return
    }
    streams.add(this)
    this.ended = new Promise((resolve) => {
      response.once('close', () => {
        streams.delete(this)
        resolve()
      })
    })
  }

  write(frame: Frame): void | Promise<void> {
    if (this.#last === undefined && typeof frame === 'string') {
      if (this.#response.destroyed || this.#response.write(frame)) return undefined
      return this.#after(roomIn(this.#response))
    }
    const before = this.#last ?? Promise.resolve()
    return this.#after(before.then(() => writePieces(this.#response, typeof frame === 'string' ? [frame] : frame)))
  }

  /** A comment, so that nobody on the way takes a quiet stream for a dead one. */
  keepAlive(): void {
    if (this.#last === undefined && !this.#response.destroyed && !this.#response.writableNeedDrain) this.#response.write(':\n\n')
  }

  end(): void {
    if (this.#last === undefined) this.#response.end()
    else void this.#last.then(() => this.#response.end())
  }

  #after(work: Promise<unknown>): Promise<void> {
    const last: Promise<void> = work.then(() => {
      if (this.#last === last) this.#last = undefined
    })
    this.#last = last
    return last
  }
}

/** Pieces one after the other, as fast as the client reads. False when it is gone, or the bytes ran out early. */
async function writePieces(response: ServerResponse, pieces: Exclude<Frame, string>): Promise<boolean> {
  try {
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        if (response.destroyed) return false
        if (!response.write(piece)) await roomIn(response)
        continue
      }
      for await (const chunk of base64Chunks(piece.bytes)) {
        if (response.destroyed) return false
        if (!response.write(chunk)) await roomIn(response)
      }
    }
    return !response.destroyed
  } catch {
    // The length was promised: only a broken connection tells the client that this is not the whole.
    response.destroy()
    return false
  }
}

function roomIn(response: ServerResponse): Promise<void> {
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
