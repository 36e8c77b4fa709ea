import type { Failure, Frame, Sink } from '../../server/index.ts'
import type { Accepted } from './accepted.ts'
import type { HeaderList, HttpReply, HttpStream } from './reply.ts'

/** HTTP streams whatever the read limit allows, so a message has no limit of its own but this. */
const MAX_FRAME = 2 ** 31

const NONE: HeaderList = []
const JSON_HEADERS: HeaderList = ['content-type', 'application/json']
const EVENT_HEADERS: HeaderList = ['content-type', 'text/event-stream', 'x-accel-buffering', 'no']

/**
 * Answers one POST: a single JSON object if the response is all there is, else a stream of events that ends
 * with the response.
 */
export class ReplySink implements Sink {
  readonly maxFrame = MAX_FRAME
  readonly #reply: HttpReply
  readonly #accepts: Accepted
  readonly #headers: HeaderList
  readonly #onAnswer: ((failed: boolean) => void) | undefined
  #stream: HttpStream | undefined
  #answering = false
  #done = false
  #onEnd: (() => void) | undefined

  constructor(reply: HttpReply, accepted: Accepted, headers: HeaderList = NONE, onAnswer?: (failed: boolean) => void) {
    this.#reply = reply
    this.#accepts = accepted
    this.#headers = headers
    this.#onAnswer = onAnswer
  }

  /** Calls back once when nothing more will be sent. */
  whenEnded(onEnd: () => void): void {
    if (this.#done) onEnd()
    else this.#onEnd = onEnd
  }

  /** Starts the stream of events before there is anything to say. */
  open(): HttpStream {
    if (this.#stream === undefined) {
      this.#stream = this.#reply.open(200, [...EVENT_HEADERS, ...this.#headers])
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
    this.#answering = true
    this.#onAnswer?.(failure !== undefined)
    if (this.#stream === undefined && this.#accepts.json) {
      if (failure !== undefined) return this.#settle(this.#reply.send(statusOf(failure), JSON_HEADERS, frame))
      const headers = this.#headers === NONE ? JSON_HEADERS : [...JSON_HEADERS, ...this.#headers]
      return this.#settle(this.#reply.send(200, headers, frame))
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
    if (this.#answering) this.#reply.break()
    else if (this.#stream === undefined) void this.#reply.send(202, this.#headers)
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
    const onEnd = this.#onEnd
    this.#onEnd = undefined
    onEnd?.()
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
