import type { Failure, Frame, Sink } from '../../server/index.ts'
import type { HttpReply, HttpStream } from './reply.ts'

/** HTTP streams whatever the read limit allows, so a message has no limit of its own but this. */
const MAX_FRAME = 2 ** 31

const EVENT_HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } as const

/**
 * Answers one POST: a single JSON object if the response is all there is, else a stream of events that ends
 * with the response.
 */
export class ReplySink implements Sink {
  readonly maxFrame = MAX_FRAME
  /** Settles when nothing more will be sent. */
  readonly ended: Promise<void>
  readonly #reply: HttpReply
  readonly #accepts: { readonly json: boolean; readonly events: boolean }
  readonly #headers: Readonly<Record<string, string>>
  readonly #onAnswer: ((failed: boolean) => void) | undefined
  #stream: HttpStream | undefined
  #done = false
  #end!: () => void

  constructor(
    reply: HttpReply,
    accepted: { readonly json: boolean; readonly events: boolean },
    headers: Readonly<Record<string, string>> = {},
    onAnswer?: (failed: boolean) => void,
  ) {
    this.#reply = reply
    this.#accepts = accepted
    this.#headers = headers
    this.#onAnswer = onAnswer
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Starts the stream of events before there is anything to say. */
  open(): HttpStream {
    if (this.#stream === undefined) {
      this.#stream = this.#reply.open(200, { ...EVENT_HEADERS, ...this.#headers })
      void this.#stream.ended.then(() => this.#finish())
    }
    return this.#stream
  }

  notify(frame: Frame): void | Promise<void> {
    // A client that does not take events is not told of progress.
    if (this.#done || !this.#accepts.events) return undefined
    return this.open().write(eventOf(frame))
  }

  respond(frame: Frame, failure?: Failure): void | Promise<void> {
    if (this.#done) return undefined
    this.#onAnswer?.(failure !== undefined)
    if (this.#stream === undefined && this.#accepts.json) {
      const headers = { 'content-type': 'application/json', ...(failure === undefined ? this.#headers : {}) }
      return this.#settle(this.#reply.send(failure === undefined ? 200 : statusOf(failure), headers, frame))
    }
    if (this.#stream === undefined && failure !== undefined && statusOf(failure) !== 200) {
      this.#stream = this.#reply.open(statusOf(failure), EVENT_HEADERS)
    }
    const stream = this.open()
    const written = stream.write(eventOf(frame))
    if (written === undefined) {
      stream.end()
      return this.#settle(undefined)
    }
    return this.#settle(written.then(() => stream.end()))
  }

  drop(): void {
    if (this.#done) return
    if (this.#stream === undefined) void this.#reply.send(202, this.#headers)
    else this.#stream.end()
    this.#finish()
  }

  /** The message was a notification: taken, nothing to say. */
  accept(): void {
    this.drop()
  }

  #settle(sent: void | Promise<void>): void | Promise<void> {
    if (sent === undefined) {
      this.#finish()
      return undefined
    }
    return sent.finally(() => this.#finish())
  }

  #finish(): void {
    this.#done = true
    this.#end()
  }
}

/** JSON text holds no newline, so one `data:` line does. */
function eventOf(frame: Frame): Frame {
  if (typeof frame === 'string') return `event: message\ndata: ${frame}\n\n`
  return ['event: message\ndata: ', ...frame, '\n\n']
}

/** Statuses of error responses (basic/transports/streamable-http, Protocol Version Header and Server Validation). */
function statusOf(failure: Failure): number {
  if (failure.code === -32700 || failure.code === -32600) return failure.rejected ? 400 : 200
  if (failure.era === 'legacy') return 200
  if (failure.code === -32601) return 404
  if (failure.code <= -32020 && failure.code >= -32022) return 400
  return failure.rejected ? 400 : 200
}
