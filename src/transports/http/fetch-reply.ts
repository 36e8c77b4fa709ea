import type { Frame } from '../../server/index.ts'
import { frameBytes } from '../../server/index.ts'
import { EventStream } from './event-stream.ts'
import { FetchOutlet } from './fetch-outlet.ts'
import type { Stall } from './fetch-outlet.ts'
import type { OpenStreams } from './open-streams.ts'
import { writePieces } from './outlet.ts'
import { NO_STORE } from './reply.ts'
import type { HeaderList, HttpReply, HttpStream } from './reply.ts'

/** The reply to one Request: a Response once there is a status, whose body may be written for as long as it is read. */
export class FetchReply implements HttpReply {
  /** Never rejects. */
  readonly response: Promise<Response>
  readonly #streams: OpenStreams
  readonly #stall: Stall
  readonly #onEnd: ((whole: boolean) => void)[] = []
  #answer!: (response: Response) => void
  #outlet: FetchOutlet | undefined
  #whole: boolean | undefined

  constructor(streams: OpenStreams, stall: Stall) {
    this.#streams = streams
    this.#stall = stall
    this.response = new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  send(status: number, headers: HeaderList, body: Frame = ''): void | Promise<void> {
    if (this.#whole !== undefined) return undefined
    if (typeof body !== 'string') {
      const outlet = this.#open(status, [...headers, 'content-length', String(frameBytes(body))])
      return writePieces(outlet, body).then((whole) => {
        if (whole) outlet.end()
      })
    }
    this.#answer(responseOf(status, headers, body === '' ? null : body))
    this.#end(true)
    return undefined
  }

  open(status: number, headers: HeaderList): HttpStream {
    return new EventStream(this.#open(status, headers), this.#streams)
  }

  break(): void {
    this.#outlet?.break()
  }

  /** Answers nothing further. A body that has begun breaks off with `reason`; else `status` is all there is. */
  cut(status: number, reason: unknown): void {
    if (this.#whole !== undefined) return
    if (this.#outlet !== undefined) return this.#outlet.break(reason)
    this.#answer(responseOf(status, [], null))
    this.#end(false)
  }

  /** Nothing more will be sent. */
  get ended(): boolean {
    return this.#whole !== undefined
  }

  /** Calls back once nothing more will be sent, with false when it was cut, the client went, or does not read. */
  whenEnded(call: (whole: boolean) => void): void {
    if (this.#whole === undefined) this.#onEnd.push(call)
    else call(this.#whole)
  }

  #open(status: number, headers: HeaderList): FetchOutlet {
    const outlet = new FetchOutlet(this.#stall)
    if (this.#whole !== undefined) {
      outlet.break()
      return outlet
    }
    this.#outlet = outlet
    outlet.whenGone(() => this.#end(outlet.whole))
    this.#answer(responseOf(status, headers, outlet.body))
    return outlet
  }

  #end(whole: boolean): void {
    this.#whole = whole
    for (const call of this.#onEnd.splice(0)) call(whole)
  }
}

function responseOf(status: number, headers: HeaderList, body: string | ReadableStream<Uint8Array> | null): Response {
  const all = new Headers()
  const list = [...headers, ...NO_STORE]
  for (let i = 0; i + 1 < list.length; i += 2) all.append(list[i]!, list[i + 1]!)
  return new Response(body, { status, headers: all })
}
