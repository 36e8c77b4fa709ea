import type {
  JSONRPCMessage,
  OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { ClientTransport, SendOptions } from '../../client/index.ts'
import { ShelfError } from '../../errors.ts'
import { INITIALIZE } from '../../protocol/index.ts'
import { ErrorGate, within } from '../../runtime/index.ts'
import { asideFrom, authorizeOnce, isOAuthProvider } from './authorization.ts'
import type { Authorizer } from './authorization.ts'
import { endpointHeaders, endpointUrl } from './connect-options.ts'
import type { HttpConnectOptions } from './connect-options.ts'
import { EndpointFetch, EXCHANGE_HEADER } from './endpoint-fetch.ts'
import { openExchange } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { explainFailure } from './explain-failure.ts'

/** An ended session is told within this time, or not at all. */
const DELETE_MS = 1_000
/** What the deprecated transport may take until it says where messages go. */
const SSE_MS = 10_000
/** What a stream has to end by itself after the answer. */
const LEAVE_MS = 1_000
/** A stream that ends sooner than this was refused in the only words that its server knows. */
const SETTLED_MS = 250
/** Until a stream that ended before its answer is taken up, where its server does not say when. */
const RESUME_MS = 500
/** The same, whatever its server says. */
const SHORTEST_PAUSE_MS = 100
/** A server that takes longer to open its stream is asked instead. */
const HEARS_MS = 10_000

/**
 * Connects to a server over HTTP (basic/transports/streamable-http), with the official client's transport, and with the
 * deprecated HTTP+SSE of 2024-11-05 where the server answers `initialize` with no other.
 *
 * @throws ShelfError `invalid-option` for a URL or headers that cannot be used
 */
export function connectHttp(url: string | URL, options: HttpConnectOptions = {}): ClientTransport {
  return new OpenHttpConnection(endpointUrl(url), endpointHeaders(options), options)
}

class OpenHttpConnection implements ClientTransport {
  onmessage: ClientTransport['onmessage']
  onclose: ClientTransport['onclose']
  onerror: ClientTransport['onerror']
  onwait: ClientTransport['onwait']
  closeReason: ShelfError | undefined
  readonly #url: URL
  readonly #headers: Headers
  readonly #options: HttpConnectOptions
  readonly #ended = new AbortController()
  #authorizer: Authorizer | undefined
  readonly #fetch: EndpointFetch
  readonly #errors = new ErrorGate((error) => this.onerror?.(error))
  readonly #exchanges = new Map<string, Exchange>()
  /** By the id of their request, until they are answered or will not be. */
  readonly #unanswered = new Map<string | number, Exchange>()
  /** What a request was rejected with, of which the official transport also tells in `onerror`. */
  readonly #told = new WeakSet<object>()
  readonly #hears: Promise<boolean>
  #heard!: (hears: boolean) => void
  #official: StreamableHTTPClientTransport | undefined
  #sse: SSEClientTransport | undefined
  readonly #pauses = new Set<NodeJS.Timeout>()
  #legacy = false
  #starting: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #over = false
  #next = 0
  /** The stream of what is told unasked: `young` may still turn out to be a refusal. */
  #stream: 'none' | 'young' | 'settled' = 'none'
  #timer: NodeJS.Timeout | undefined

  constructor(url: URL, headers: Headers, options: HttpConnectOptions) {
    this.#url = url
    this.#headers = headers
    this.#options = options
    this.#hears = new Promise((resolve) => {
      this.#heard = resolve
    })
    const secrets = [...headers.values()]
      .flatMap((value) => [value, value.replace(/^\S+ /, '')])
      .filter((text) => text.length > 7)
    this.#fetch = new EndpointFetch(url.origin, options, secrets, {
      exchange: (number) => this.#exchanges.get(number),
      resumed: (lastEvent) => [...this.#unanswered.values()].find((exchange) => exchange.lastEvent === lastEvent),
      streamOpened: (opened) => this.#streamOpened(opened),
      streamEnded: (error) => this.#streamEnded(error),
      sessionLost: () => this.#lose(new ShelfError('unavailable', 'The session is over: connect again', {})),
      widerToken: (response) => this.#widerToken(response),
    })
  }

  /** False once the server has turned out to have only the deprecated transport. */
  get hasPerRequestStream(): boolean {
    return this.#sse === undefined
  }

  start(): Promise<void> {
    this.#starting ??= (async () => {
      const official = await import('@modelcontextprotocol/client')
      if (this.#closed) throw this.#unavailable()
      const { authProvider } = this.#options
      if (isOAuthProvider(authProvider)) {
        this.#authorizer = this.#authorize(authProvider, official)
        // What the official transport would do around its `fetch`, ours does at the wire.
        if (authProvider.dpop !== undefined) this.#fetch.sign(official.withDpopFromProvider(authProvider))
      }
      this.#official = new official.StreamableHTTPClientTransport(this.#url, {
        ...this.#transportOptions(),
        ...this.#resumption(),
      })
      this.#attach(this.#official)
      await this.#official.start()
    })()
    return this.#starting
  }

  async send(message: unknown, options: SendOptions = {}): Promise<void> {
    const official = this.#official
    if (this.#closed || official === undefined) throw this.#unavailable()
    if (this.#sse !== undefined) {
      await this.#sendOverSse(this.#sse, message)
      return
    }
    const exchange = openExchange(message, options.requestSignal)
    const number = String(this.#next++)
    exchange.lost = () => this.#exchangeEnded(exchange, options)
    this.#exchanges.set(number, exchange)
    if (exchange.id !== undefined) {
      this.#unanswered.set(exchange.id, exchange)
      exchange.forget = () => this.#settle(exchange)
      options.requestSignal?.addEventListener('abort', exchange.forget)
    }
    try {
      const sent = official.send(message as JSONRPCMessage, {
        headers: { [EXCHANGE_HEADER]: number },
        onRequestStreamEnd: () => this.#exchangeEnded(exchange, options),
        onresumptiontoken: (token) => {
          exchange.lastEvent = token
        },
      })
      // Who gives up does not wait for a login.
      await untilAborted(sent, options.requestSignal)
      if (exchange.streams) return
      this.#settle(exchange)
      if (exchange.id === undefined || exchange.answered) return
      throw new ShelfError('unavailable', `${this.#url.origin} answered another request than the one that was sent`, {})
    } catch (error) {
      this.#settle(exchange)
      if (error instanceof Error) this.#told.add(error)
      const failure = this.#explain(error, options.requestSignal)
      const mayBeOlder = exchange.method === INITIALIZE.method && failure.code === 'unsupported'
      if (!mayBeOlder || !(await this.#openSse())) throw failure
      await this.#sendOverSse(this.#sse, message)
    } finally {
      this.#exchanges.delete(number)
    }
  }

  setProtocolVersion(version: string): void {
    this.#legacy = true
    this.#official?.setProtocolVersion(version)
    this.#sse?.setProtocolVersion(version)
  }

  hears(): Promise<boolean> {
    if (this.#stream === 'none' && !this.#over) this.#timer ??= setTimeout(() => this.#heard(false), HEARS_MS).unref()
    return this.#hears
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      // What is broken off tells at once, and must find that this is why.
      await Promise.resolve()
      this.#ended.abort()
      this.#fetch.abort(new ShelfError('unavailable', 'The connection is closed', {}))
      if (!this.#over && this.#sse === undefined) {
        await within(
          (this.#official?.terminateSession() ?? Promise.resolve()).catch(() => undefined),
          DELETE_MS,
          undefined,
        )
      }
      await this.#end(undefined)
    })()
    return this.#closing
  }

  get #closed(): boolean {
    return this.#over || this.#closing !== undefined
  }

  #unavailable(): ShelfError {
    return this.closeReason ?? new ShelfError('unavailable', 'The connection is not open', {})
  }

  #transportOptions() {
    const { authProvider } = this.#options
    const plain = isOAuthProvider(authProvider) ? undefined : authProvider
    const provider = plain === undefined ? this.#authorizer : asideFrom(plain, this.#fetch.aside)
    return {
      fetch: this.#fetch.endpoint,
      requestInit: { headers: this.#headers },
      ...(provider !== undefined && { authProvider: provider }),
    }
  }

  /**
   * The stream of a legacy request may end before the answer, which the server then keeps for whoever takes the stream up
   * (basic/transports, Resumability). That is tried once at a time; what is not taken up is told to whoever asked, who asks again.
   */
  #resumption() {
    const resumes = (): boolean => this.#legacy
    return {
      reconnectionOptions: {
        get maxRetries() {
          return resumes() ? 1 : 0
        },
        initialReconnectionDelay: RESUME_MS,
        maxReconnectionDelay: RESUME_MS,
        reconnectionDelayGrowFactor: 1,
      },
      reconnectionScheduler: (resume: () => void, delay: number) => {
        const pause = setTimeout(
          () => {
            this.#pauses.delete(pause)
            resume()
          },
          Math.max(delay, SHORTEST_PAUSE_MS),
        )
        this.#pauses.add(pause)
      },
    }
  }

  #authorize(provider: OAuthClientProvider, official: typeof import('@modelcontextprotocol/client')): Authorizer {
    const onWait = (over: Promise<void>): void => this.onwait?.(over)
    return authorizeOnce(provider, { official, fetch: this.#fetch.aside, signal: this.#ended.signal, onWait })
  }

  async #widerToken(response: Response): Promise<string | undefined> {
    if (this.#authorizer === undefined) return undefined
    await this.#authorizer.onInsufficientScope({ response, serverUrl: this.#url, fetchFn: this.#fetch.aside })
    return this.#authorizer.token()
  }

  #attach(transport: StreamableHTTPClientTransport | SSEClientTransport): void {
    const onmessage = (message: JSONRPCMessage): void => {
      if (!this.#closed) this.#receive(message)
    }
    const onerror = (error: Error): void => {
      // All others end a stream or a request, and are told there.
      if (!(error instanceof SyntaxError) && !error.name.endsWith('ZodError')) return
      setImmediate(() => {
        if (this.#closed || this.#told.has(error)) return
        const text = `${this.#url.origin} sent an event that is no message`
        this.#errors.push(new ShelfError('parse-error', text, {}, { cause: error }))
      })
    }
    Object.assign(transport, { onmessage, onerror })
  }

  #receive(message: JSONRPCMessage): void {
    if ('id' in message && !('method' in message)) {
      const exchange = this.#unanswered.get(message.id as string | number)
      if (exchange !== undefined) {
        exchange.answered = true
        // Nothing is to follow an answer; a server that keeps the stream open all the same keeps it without us.
        if (exchange.leave !== undefined) setTimeout(exchange.leave, LEAVE_MS).unref()
      }
    }
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** The stream of one request is over. */
  #exchangeEnded(exchange: Exchange, { onRequestStreamEnd, requestSignal }: SendOptions): void {
    if (exchange.lost === undefined) return
    exchange.lost = undefined
    this.#settle(exchange)
    if (requestSignal?.aborted || this.#closed) return
    const broken = (): ShelfError =>
      exchange.failure ?? new ShelfError('unavailable', `${this.#url.origin} ended its answer before it was whole`, {})
    onRequestStreamEnd?.(exchange.answered ? undefined : broken())
  }

  #settle({ id, signal, forget }: Exchange): void {
    if (id !== undefined) this.#unanswered.delete(id)
    if (forget !== undefined) signal?.removeEventListener('abort', forget)
  }

  #explain(error: unknown, signal?: AbortSignal): ShelfError {
    if (signal?.aborted) return new ShelfError('cancelled', 'Cancelled by the caller', {}, { cause: error })
    return this.#closed ? this.#unavailable() : explainFailure(error, this.#url.origin)
  }

  async #sendOverSse(sse: SSEClientTransport | undefined, message: unknown): Promise<void> {
    try {
      await sse?.send(message as JSONRPCMessage)
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** Whether the server has the deprecated transport, which is this connection's from then on. */
  async #openSse(): Promise<boolean> {
    const official = await import('@modelcontextprotocol/client')
    const sse = new official.SSEClientTransport(this.#url, this.#transportOptions())
    this.#attach(sse)
    const opened = await within(
      sse.start().then(
        () => true,
        () => false,
      ),
      SSE_MS,
      false,
    )
    if (opened && !this.#closed) {
      this.#sse = sse
      return true
    }
    await sse.close()
    return false
  }

  #streamOpened(opened: boolean): void {
    clearTimeout(this.#timer)
    if (!opened) {
      this.#heard(false)
      return
    }
    this.#stream = 'young'
    this.#timer = setTimeout(() => {
      this.#stream = 'settled'
      this.#heard(true)
    }, SETTLED_MS).unref()
  }

  #streamEnded(error: ShelfError | undefined): void {
    clearTimeout(this.#timer)
    if (this.#stream !== 'settled' && this.#sse === undefined && error === undefined) this.#heard(false)
    else this.#lose(error ?? new ShelfError('unavailable', `${this.#url.origin} ended its stream: connect again`, {}))
  }

  #lose(reason: ShelfError): void {
    if (this.#closed) return
    void this.#end(reason)
  }

  async #end(reason: ShelfError | undefined): Promise<void> {
    if (this.#over) return
    this.closeReason = reason
    this.#over = true
    this.#ended.abort()
    clearTimeout(this.#timer)
    for (const pause of this.#pauses) clearTimeout(pause)
    this.#heard(false)
    this.#fetch.abort(reason ?? new ShelfError('unavailable', 'The connection is closed', {}))
    await this.#official?.close()
    await this.#sse?.close()
    this.#errors.close()
    this.#exchanges.clear()
    this.#unanswered.clear()
    this.onclose?.()
  }
}

function untilAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new ShelfError('cancelled', 'Cancelled by the caller', {}))
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
