import { ShelfError } from '../../errors.ts'
import { eachEvent, watchBody, wholeBody } from './body-limit.ts'
import type { ByteCheck } from './body-limit.ts'
import type { HttpConnectOptions } from './connect-options.ts'
import { errorAnswer } from './error-answer.ts'
import type { Exchange } from './exchange.ts'
import { networkFailure, statusFailure, wrongContent } from './http-failure.ts'
import type { Refusal } from './http-failure.ts'

/** Names the exchange that a request of the official transport belongs to; it never leaves this process. */
export const EXCHANGE_HEADER = 'x-shelfmark-exchange'

/** Of an answer that is no success, and of what is asked beside the endpoint. */
const MAX_ASIDE = 1024 * 1024
/** A session that is ended is not waited for. */
const DELETE_MS = 1_000
const ASIDE_MS = 30_000

export type Fetch = NonNullable<HttpConnectOptions['fetch']>

/** What a connection wants to know of its requests. */
export interface EndpointEvents {
  exchange(number: string): Exchange | undefined
  /** The request whose stream had this event last, if it still waits for its answer. */
  resumed(lastEvent: string): Exchange | undefined
  /** The stream for what the server says unasked is open, or refused. */
  streamOpened(opened: boolean): void
  /** It has ended, other than by us. Why, if it did not come to its end. */
  streamEnded(error: ShelfError | undefined): void
  /** The server knows the session no more. */
  sessionLost(): void
  /** The token of a flow that was run because the one before may do too little; undefined where there is none. */
  widerToken(response: Response): Promise<string | undefined>
}

/**
 * The `fetch` of one connection: what the official transports ask goes through it. Bytes are counted, failures become
 * errors that say what to do, and nothing is open any more after `abort`.
 */
export class EndpointFetch {
  readonly #fetch: Fetch
  readonly #origin: string
  readonly #maxFrame: number
  readonly #headMs: number
  readonly #secrets: readonly string[]
  /** Whether a 401 leads to a flow that gets a token. */
  readonly #authorizes: boolean
  readonly #events: EndpointEvents
  readonly #open = new Set<AbortController>()
  #signed: Fetch
  /** The stream for what the server says unasked was open. */
  #listened = false

  /** @param secrets what no message may repeat, should a server send it back */
  constructor(origin: string, options: HttpConnectOptions, secrets: readonly string[], events: EndpointEvents) {
    this.#origin = origin
    this.#authorizes = options.authProvider !== undefined
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init))
    this.#signed = this.#fetch
    this.#maxFrame = options.maxFrame ?? 32 * 1024 * 1024
    this.#headMs = options.headMs ?? 120_000
    this.#secrets = secrets
    this.#events = events
  }

  /** Has each request to the endpoint signed, as the last that is done to it. */
  sign(signed: (fetch: Fetch) => Fetch): void {
    this.#signed = signed(this.#fetch)
  }

  /** Requests to the endpoint. */
  readonly endpoint = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    switch (init.method) {
      case 'POST':
        return this.#post(url, init)
      case 'DELETE':
        return this.#counted(await this.#request(url, init, DELETE_MS), wholeBody(MAX_ASIDE))
      default:
        return this.#listen(url, init)
    }
  }

  /** Requests to others, such as an authorization server. What the official flow tells apart stays as it is. */
  readonly aside = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    try {
      return this.#counted(await this.#request(url, init, ASIDE_MS, undefined, this.#fetch), wholeBody(MAX_ASIDE))
    } catch (error) {
      throw error instanceof ShelfError && error.cause instanceof TypeError ? error.cause : error
    }
  }

  /** Breaks off all that is open. */
  abort(reason: ShelfError): void {
    for (const controller of this.#open) controller.abort(reason)
  }

  async #post(url: string | URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    const exchange = this.#events.exchange(headers.get(EXCHANGE_HEADER) ?? '')
    headers.delete(EXCHANGE_HEADER)
    let open = await this.#request(url, { ...init, headers }, this.#headMs, exchange?.signal)
    if (wantsMore(open.response)) {
      const token = await this.#events.widerToken(open.response)
      if (token !== undefined) {
        open.drop()
        headers.set('authorization', `Bearer ${token}`)
        open = await this.#request(url, { ...init, headers }, this.#headMs, exchange?.signal)
      }
    }
    const { response } = open
    if (response.ok) return this.#accepted(open, exchange, headers)
    if (response.status >= 300 && response.status < 400) return this.#counted(open, wholeBody(MAX_ASIDE))
    if (this.#authorizes && challenges(response)) return this.#counted(open, wholeBody(MAX_ASIDE))
    const refusal = await this.#refusal(open, exchange, typeof init.body === 'string' ? init.body : '', headers)
    const answer = this.#answer(refusal, exchange, headers.has('mcp-session-id'))
    if (answer === undefined) throw statusFailure(refusal)
    return Response.json({ jsonrpc: '2.0', id: exchange?.id, error: answer })
  }

  /** The error of the body, where it is the answer to the request. */
  #answer(refusal: Refusal, exchange: Exchange | undefined, inSession: boolean) {
    const { status } = refusal
    const answer = errorAnswer(refusal.text)
    const own = answer !== undefined && answer.id !== undefined && answer.id === exchange?.id
    if (status === 404 && inSession && !own) {
      this.#events.sessionLost()
      return undefined
    }
    if (exchange?.id === undefined || answer === undefined) return undefined
    // Without an id it may be of whatever stands before the server: that is told by the status.
    return own || (answer.id === undefined && (status === 400 || status === 404)) ? answer.error : undefined
  }

  async #accepted(open: OpenRequest, exchange: Exchange | undefined, sent: Headers): Promise<Response> {
    const { response } = open
    if (exchange?.id === undefined) {
      open.drop()
      // Only this status makes the official transport open the stream for what the server says unasked.
      return new Response(null, { status: 202 })
    }
    const type = mediaType(response)
    if (type === 'application/json') return this.#counted(open, wholeBody(this.#maxFrame))
    if (type === 'text/event-stream') {
      exchange.streams = true
      return this.#answerStream(open, exchange)
    }
    if (response.status === 202 || response.status === 204) {
      open.drop()
      throw new ShelfError('unavailable', `${this.#origin} took the request and gives no answer to it`, {})
    }
    throw wrongContent(await this.#refusal(open, exchange, '', sent))
  }

  #answerStream(open: OpenRequest, exchange: Exchange): Response {
    exchange.leave = open.abort
    return this.#counted(open, eachEvent(this.#maxFrame), (error) => {
      exchange.failure = error
      if (error !== undefined && error.code !== 'unavailable') exchange.lost?.()
    })
  }

  /** The rest of the stream of a request. What cannot be had is answered with the one status that says so for good. */
  async #resume(url: string | URL, init: RequestInit, exchange: Exchange | undefined): Promise<Response> {
    if (exchange?.lost === undefined) return new Response(null, { status: 405 })
    try {
      const open = await this.#request(url, init, this.#headMs, init.signal ?? undefined)
      const { response } = open
      if (response.status === 200 && mediaType(response) === 'text/event-stream') return this.#answerStream(open, exchange)
      if (this.#authorizes && challenges(response)) return this.#counted(open, wholeBody(MAX_ASIDE))
      open.drop()
    } catch (error) {
      exchange.failure = networkFailure(error, this.#origin)
    }
    return new Response(null, { status: 405 })
  }

  /** The stream for what the server says unasked, once; or one that is taken up. */
  async #listen(url: string | URL, init: RequestInit): Promise<Response> {
    const lastEvent = new Headers(init.headers).get('last-event-id')
    if (lastEvent !== null) return this.#resume(url, init, this.#events.resumed(lastEvent))
    if (this.#listened) return new Response(null, { status: 405 })
    try {
      const open = await this.#request(url, init, this.#headMs, init.signal ?? undefined)
      const opened = open.response.status === 200 && mediaType(open.response) === 'text/event-stream'
      if (!opened) {
        this.#events.streamOpened(false)
        return this.#counted(open, wholeBody(MAX_ASIDE))
      }
      this.#listened = true
      this.#events.streamOpened(true)
      return this.#counted(open, eachEvent(this.#maxFrame), (error) => this.#events.streamEnded(error))
    } catch (error) {
      this.#events.streamOpened(false)
      throw error
    }
  }

  async #request(
    url: string | URL,
    init: RequestInit,
    headMs: number,
    signal?: AbortSignal,
    fetch = this.#signed,
  ): Promise<OpenRequest> {
    const controller = new AbortController()
    const onAbort = (): void => controller.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort)
    this.#open.add(controller)
    const end = (): void => {
      signal?.removeEventListener('abort', onAbort)
      this.#open.delete(controller)
    }
    const timer = setTimeout(() => {
      const text = `${new URL(url).origin} did not begin an answer within ${headMs} ms`
      controller.abort(new ShelfError('timeout', text, { afterMs: headMs }))
    }, headMs)
    try {
      const response = await fetch(url, { ...init, signal: controller.signal })
      const drop = (): void => {
        end()
        response.body?.cancel().catch(() => undefined)
      }
      const abort = (): void => controller.abort(new ShelfError('cancelled', 'Nothing more is wanted', {}))
      return { response, signal: controller.signal, end, drop, abort }
    } catch (error) {
      end()
      throw controller.signal.aborted ? controller.signal.reason : networkFailure(error, new URL(url).origin)
    } finally {
      clearTimeout(timer)
    }
  }

  /** The response, with its bytes counted. */
  #counted({ response, signal, end }: OpenRequest, check: ByteCheck, onEnd?: (error: ShelfError | undefined) => void): Response {
    const { body, status, statusText, headers } = response
    const ended = (error?: unknown): void => {
      end()
      onEnd?.(error === undefined ? undefined : networkFailure(error, this.#origin))
    }
    if (body === null) {
      ended()
      return response
    }
    const explain = (error: unknown): unknown => networkFailure(error, this.#origin)
    const own = watchBody(body as ReadableStream<Uint8Array>, { signal, check, onEnd: ended, explain })
    return new Response(own as ConstructorParameters<typeof Response>[0], { status, statusText, headers })
  }

  async #refusal(open: OpenRequest, exchange: Exchange | undefined, sent: string, asked: Headers): Promise<Refusal> {
    const counted = this.#counted(open, wholeBody(MAX_ASIDE))
    let text = await counted.text().catch(() => '')
    const token = asked.get('authorization')?.replace(/^\S+ /, '') ?? ''
    for (const secret of token === '' ? this.#secrets : [...this.#secrets, token]) text = text.replaceAll(secret, '***')
    const { status, headers } = open.response
    return { status, headers, text, origin: this.#origin, method: exchange?.method ?? 'answer', size: Buffer.byteLength(sent) }
  }
}

interface OpenRequest {
  readonly response: Response
  readonly signal: AbortSignal
  /** Nothing more comes of it. */
  readonly end: () => void
  /** Nobody wants the rest of it. */
  readonly drop: () => void
  /** The same for a body that somebody reads. */
  readonly abort: () => void
}

/** Whether a token, or a better one, would help. */
function challenges({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  return status === 401 || wantsMore({ status, headers })
}

function wantsMore({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  return status === 403 && /insufficient_scope/.test(headers.get('www-authenticate') ?? '')
}

function mediaType({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
}
