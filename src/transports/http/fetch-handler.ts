import { ShelfError } from '../../errors.ts'
import type { Library } from '../../library/index.ts'
import { LOCAL, systemClock } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import { refusalAtDoor } from './door.ts'
import type { Endpoint } from './endpoint.ts'
import { FetchBody } from './fetch-body.ts'
import { FetchGate } from './fetch-gate.ts'
import { FetchReply } from './fetch-reply.ts'
import { isPrincipal } from './identity.ts'
import { LazyEndpoint, RETRY_MS } from './lazy-endpoint.ts'
import { OpenStreams } from './open-streams.ts'
import { DISPOSE_MS, endpointLimits } from './options.ts'
import type { EndpointLimits, EndpointOptions } from './options.ts'
import { protect } from './protection.ts'
import type { Protection } from './protection.ts'
import { sendRefusal } from './refusal.ts'
import type { Refusal } from './refusal.ts'
import { reporterOf } from './reporter.ts'
import type { Reporter } from './reporter.ts'
import type { HttpRequest } from './request.ts'
import { guardStream } from './stream-guard.ts'

export interface FetchOptions extends EndpointOptions {
  /** Where the endpoint is, for example `/mcp`; other paths are 404. Default: wherever it is mounted. */
  readonly path?: string
}

/** The MCP endpoint of a web server that takes a Request and gives a Response. */
export interface FetchHandler extends AsyncDisposable {
  /** Answers one request. Bound, so that it may be handed on as it is, and never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Legacy sessions that are open. */
  readonly sessions: number
  /** Starts the Library now, which the first request does otherwise. Rejects when it cannot. */
  start(): Promise<void>
  /** Ends listen streams with their results, lets requests finish, then cuts them off and disposes the Library. */
  close(): Promise<void>
}

/**
 * Serves a Library over Streamable HTTP, in both eras, behind whatever speaks `Request` and `Response`. Takes ownership of
 * the Library. While it cannot be started, requests are 503 and its error goes to `onError`.
 *
 * Without `authenticate` whoever reaches the web server reads everything, so let it listen on a loopback address.
 * A request must name this machine in `Host`, with any port, or a host of `allowedHosts`; its `Origin`, if it has one,
 * must be the same with `http://` or `https://`, or one of `allowedOrigins`. All others are 403.
 *
 * Tried on Node 20. Beside Web Streams it needs the globals `process` and `Buffer`, `node:crypto` and `node:timers`, which
 * Deno 2, Bun and workers with Node compatibility have by their documentation; it has not been tried there.
 *
 * @throws ShelfError `invalid-option` for an allowed host or origin that is not exact, and for what protects nothing
 */
export function createFetchHandler(library: Library, options: FetchOptions = {}): FetchHandler {
  return new OpenFetchHandler(library, options)
}

class OpenFetchHandler implements FetchHandler {
  readonly #library: Library
  readonly #path: string | undefined
  readonly #limits: EndpointLimits
  readonly #protection: Protection
  readonly #report: Reporter
  readonly #gate: FetchGate
  readonly #clock: Clock
  readonly #streams: OpenStreams
  readonly #endpoint: LazyEndpoint
  /** What is not answered in full. The signal of a Request that nobody holds does not fire on Node. */
  readonly #open = new Map<FetchReply, Request>()
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  constructor(library: Library, options: FetchOptions) {
    this.#library = library
    this.#path = options.path
    this.#limits = endpointLimits(options)
    this.#clock = options.clock ?? systemClock
    this.#report = reporterOf(options)
    this.#protection = protect(options, { path: options.path, clock: this.#clock, report: this.#report })
    const { metadata } = this.#protection
    this.#gate = new FetchGate(options, metadata === undefined ? [] : [metadata.host])
    this.#streams = new OpenStreams(this.#clock, this.#limits.keepAliveMs)
    this.#endpoint = new LazyEndpoint(library, options, this.#limits, this.#clock, this.#report)
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const reply = new FetchReply(this.#streams, { clock: this.#clock, stallMs: this.#limits.stallMs })
    const url = new URL(request.url)
    const view: HttpRequest = {
      method: request.method,
      header: (name) => request.headers.get(name) ?? undefined,
    }
    const refusal = this.#gate.refusal(request, url)
    const document = refusal === undefined ? this.#protection.metadata?.answer(view, url.pathname) : undefined
    if (document !== undefined) {
      void reply.send(document.status, document.headers, view.method === 'HEAD' ? '' : document.body)
      return reply.response
    }
    const refused = refusal ?? refusalAtDoor(view, url.pathname, this.#path)
    if (refused === undefined) void this.#answer(request, view, reply)
    else sendRefusal(reply, refused)
    return reply.response
  }

  get sessions(): number {
    return this.#endpoint.sessions?.size ?? 0
  }

  async start(): Promise<void> {
    await this.#endpoint.open()
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #answer(request: Request, view: HttpRequest, reply: FetchReply): Promise<void> {
    if (this.#closing !== undefined) return sendRefusal(reply, unavailable())
    this.#follow(request, reply)
    const { identity } = this.#protection
    const authorization = view.header('authorization')
    const principal = identity === undefined ? LOCAL : await identity.find(authorization)
    if (!isPrincipal(principal)) return sendRefusal(reply, principal)
    const body = await this.#bodyOf(request, reply)
    // A client that went before its request was whole has asked for nothing.
    if (reply.ended) return
    if (typeof body !== 'string') return sendRefusal(reply, body)
    let endpoint: Endpoint
    try {
      endpoint = await this.#endpoint.open()
    } catch {
      return sendRefusal(reply, unavailable())
    }
    const exchange = endpoint.handler.handle(view, body, reply, principal)
    const { endStream: end } = exchange
    const stop = identity && end && guardStream({ authorization, principal, end }, () => identity, this.#clock)
    reply.whenEnded((whole) => {
      stop?.()
      if (!whole) exchange.disconnected()
    })
  }

  /** Cuts the reply when the client goes. */
  #follow(request: Request, reply: FetchReply): void {
    const { signal } = request
    const leave = (): void => reply.cut(499, signal.reason)
    this.#open.set(reply, request)
    signal.addEventListener('abort', leave, { once: true })
    reply.whenEnded(() => {
      this.#open.delete(reply)
      if (this.#open.size === 0) this.#onIdle?.()
    })
    if (signal.aborted) leave()
  }

  async #bodyOf(request: Request, reply: FetchReply): Promise<string | Refusal> {
    if (request.bodyUsed || request.body?.locked === true) {
      const error = new ShelfError('internal', 'The body of the Request was read before it came here: hand on a clone of it', {})
      this.#report(error, 'reading a request')
      return { status: 500, error }
    }
    if (request.body === null) return ''
    const body = new FetchBody(request.body, this.#limits.maxBody, this.#clock)
    reply.whenEnded(() => body.stop())
    return body.text()
  }

  async #close(): Promise<void> {
    const end = this.#clock.monotonic() + this.#limits.drainMs
    const left = (): number => Math.max(0, end - this.#clock.monotonic())
    await Promise.race([this.#endpoint.close(), this.#pause(left())])
    this.#endpoint.sessions?.endStreams()
    await Promise.race([this.#idle(), this.#pause(left())])
    this.#endpoint.sessions?.closeAll()
    for (const reply of this.#open.keys()) reply.cut(503, new ShelfError('unavailable', 'The server has closed', {}))
    await Promise.race([this.#library[Symbol.asyncDispose](), this.#pause(Math.max(left(), DISPOSE_MS))])
  }

  #idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve)
    })
  }
}

function unavailable(): Refusal {
  const headers = ['retry-after', String(Math.ceil(RETRY_MS / 1_000))]
  return { status: 503, headers, error: new ShelfError('unavailable', 'Unavailable for now', {}) }
}
