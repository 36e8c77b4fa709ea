import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { ShelfError } from '../../errors.ts'
import type { Library, Principal } from '../../library/index.ts'
import { LOCAL, systemClock } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import { Gathered, reportToStderr } from '../../runtime/index.ts'
import { Attempts } from './attempts.ts'
import { refusalAtDoor } from './door.ts'
import { openEndpoint } from './endpoint.ts'
import { refuseOpen } from './exposure.ts'
import { allowed, Gate, hostInUrl, hostsAt, isLoopback } from './gate.ts'
import type { HttpHandler } from './handler.ts'
import type { Admission, HttpOptions } from './http-options.ts'
import { isPrincipal } from './identity.ts'
import type { Identity } from './identity.ts'
import { requestTarget } from './request-target.ts'
import { NodeReply } from './node-reply.ts'
import { OpenStreams } from './open-streams.ts'
import { DISPOSE_MS, endpointLimits, REQUEST_MS } from './options.ts'
import { inTurn, Pipelining } from './pipelining.ts'
import { protect } from './protection.ts'
import type { Protection } from './protection.ts'
import { bodyTooLarge, sendRefusal } from './refusal.ts'
import type { Refusal } from './refusal.ts'
import { NO_STORE } from './reply.ts'
import type { HeaderList } from './reply.ts'
import { reporterOf } from './reporter.ts'
import type { HttpRequest } from './request.ts'
import { guardStream } from './stream-guard.ts'
import { createWebServer } from './tls.ts'
import { Unread } from './unread.ts'

/** How often connections that became idle are closed while the server closes. */
const IDLE_MS = 20

/** When the system begins to ask whether a quiet client is still there: one that is gone without a word is then noticed. */
const PROBE_MS = 30_000

/** Of the headers of a request together: a token of the longest length, and the others. */
const MAX_HEADERS = 32 * 1024

/** A browser that was here by https comes by nothing else for a year (RFC 6797). */
const HSTS: HeaderList = ['strict-transport-security', 'max-age=31536000']

export interface HttpServer extends AsyncDisposable {
  /** The endpoint, for example `http://127.0.0.1:7467/mcp`. */
  readonly url: string
  readonly port: number
  /** Legacy sessions that are open. */
  readonly sessions: number
  /**
   * Says anew who may come, in place of what the options said, for every request from now on. Streams that are open are looked
   * at again as ever, and end when their token is good no more.
   *
   * @throws ShelfError as `serveHttp` does; what held before holds on
   */
  replace(who: Admission): void
  /** Ends listen streams with their results, lets requests finish, then closes connections and disposes the Library. */
  close(): Promise<void>
}

/**
 * Serves a Library over Streamable HTTP, in both eras, on one endpoint. Takes ownership of the Library.
 *
 * @throws ShelfError `invalid-option` for an address that others can reach, an allowed value that is not exact, and for
 *   what protects nothing, or bounds nothing; `unavailable` for a port that is taken
 */
export async function serveHttp(library: Library, options: HttpOptions = {}): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 7467, path = '/mcp' } = options
  const limits = endpointLimits(options)
  const { maxBody, drainMs } = limits
  const clock = options.clock ?? systemClock
  const report = reporterOf(options)
  const attempts = options.behindProxy === true ? undefined : new Attempts(clock)
  const protectedBy = (who: Admission): Protection => {
    const all = { ...withoutAdmission(options), ...who }
    allowed(all)
    refuseOpen(host, all)
    return protect(all, { path, clock, report, attempts })
  }
  let protection = protectedBy(options)
  const { server, renew } = await createWebServer(options.tls, {
    headersTimeout: 10_000,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: MAX_HEADERS,
    // A second Host or Content-Type is then seen, and refused with the first.
    joinDuplicateHeaders: true,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  })
  // Their bytes are bounded. Node would leave out those after the first thousand, another Host or Authorization too.
  server.maxHeadersCount = 0
  const endpoint = await openEndpoint(library, options, limits).catch(async (error: unknown) => {
    await library[Symbol.asyncDispose]()
    throw error
  })
  const { handler, sessions } = endpoint
  const streams = new OpenStreams(clock, limits.keepAliveMs)
  const unread = new Unread(clock, options.maxUnread ?? defaultUnread())
  const pipelining = new Pipelining()
  server.timeout = limits.stallMs
  const bound = await listen(server, host, port).catch(async (error: unknown) => {
    await endpoint.endListening()
    await library[Symbol.asyncDispose]()
    throw error
  })
  server.on('error', (error) => reportToStderr(error, { method: 'accepting a connection' }))
  const scheme = options.tls === undefined ? 'http' : 'https'
  const own = hostsAt(bound, host, scheme)
  const gateOf = (who: Admission): Gate => {
    const { hosts, origins } = allowed(who)
    const named = protection.metadata === undefined ? [] : [protection.metadata.host]
    return new Gate([...own, ...named, ...hosts], [...own.map((name) => `${scheme}://${name}`), ...origins])
  }
  let gate = gateOf(options)
  const always = options.tls === undefined || isLoopback(host) ? NO_STORE : [...NO_STORE, ...HSTS]
  const context: Context = {
    handler,
    path,
    maxBody,
    streams,
    unread,
    pipelining,
    clock,
    always,
    gate: () => gate,
    protection: () => protection,
  }
  server.on('request', (request, response) => answer(request, response, context))
  const stopRenewing = renew(clock, report)

  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      stopRenewing()
      const begun = performance.now()
      const left = (): number => Math.max(0, begun + drainMs - performance.now())
      const closed = new Promise<true>((resolve) => {
        server.close(() => resolve(true))
      })
      await Promise.race([endpoint.endListening(), pause(left())])
      sessions.endStreams()
      // A connection is idle once its answer has left.
      while (left() > 0 && (await Promise.race([closed, pause(Math.min(left(), IDLE_MS))])) !== true)
        server.closeIdleConnections()
      sessions.closeAll()
      server.closeAllConnections()
      await closed
      // One turn of the event loop tells those who still worked for somebody that they are gone. Nothing else may keep the
      // process alive by now, and whoever waits for this has something to do before it ends.
      await setTimeout(0)
      await Promise.race([library[Symbol.asyncDispose](), pause(Math.max(left(), DISPOSE_MS))])
    })())
  return {
    url: `${scheme}://${hostInUrl(host)}:${bound}${path}`,
    port: bound,
    get sessions() {
      return sessions.size
    },
    replace(who) {
      protection = protectedBy(who)
      gate = gateOf(who)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Whether `serveHttp` would take these options, without serving anything. Rejects as that does.
 *
 * @throws ShelfError `invalid-option`
 */
export async function checkHttpOptions(options: HttpOptions): Promise<void> {
  endpointLimits(options)
  allowed(options)
  refuseOpen(options.host ?? '127.0.0.1', options)
  protect(options, { path: options.path, clock: systemClock, report: () => undefined })
  await createWebServer(options.tls, {})
}

function withoutAdmission(options: HttpOptions): Omit<HttpOptions, keyof Admission> {
  const {
    authenticate: _who,
    allowedHosts: _hosts,
    allowedOrigins: _origins,
    requiredScopes: _scopes,
    resource: _of,
    ...rest
  } = options
  return rest
}

function defaultUnread(): number {
  return Math.min(128 * 1024 * 1024, getHeapStatistics().heap_size_limit / 4)
}

interface Context {
  readonly handler: HttpHandler
  /** Of the moment, as what protects is. */
  readonly gate: () => Gate
  readonly path: string
  readonly maxBody: number
  readonly streams: OpenStreams
  readonly unread: Unread
  readonly pipelining: Pipelining
  readonly protection: () => Protection
  readonly clock: Clock
  /** Headers of every answer. */
  readonly always: HeaderList
}

function answer(request: IncomingMessage, response: ServerResponse, context: Context): void {
  const { identity, metadata } = context.protection()
  const reply = new NodeReply(response, context.streams, context.unread, context.always)
  response.on('error', () => undefined)
  response.on('timeout', closeStalled)
  const { headers } = request
  const view: HttpRequest = {
    method: request.method ?? '',
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
  const { host, path } = requestTarget(request.url ?? '', headers.host)
  const foreign = context.gate().refusal(host, headers.origin)
  const document = foreign === undefined ? metadata?.answer(view, path) : undefined
  if (document !== undefined) {
    request.resume()
    void reply.send(document.status, document.headers, document.body)
    return
  }
  const refusal = foreign ?? refusalAtDoor(view, path, context.path) ?? context.pipelining.refusal(response)
  if (refusal !== undefined) return turnAway(request, reply, refusal)
  if (identity === undefined) return admit(request, response, { view, reply, principal: LOCAL, context })
  void identity.find(headers.authorization, request.socket.remoteAddress).then((identified) => {
    if (isPrincipal(identified)) admit(request, response, { view, reply, principal: identified, context })
    else turnAway(request, reply, identified)
  })
}

/** A request of somebody known. */
interface Admitted {
  readonly view: HttpRequest
  readonly reply: NodeReply
  readonly principal: Principal
  readonly context: Context
}

function admit(request: IncomingMessage, response: ServerResponse, { view, reply, principal, context }: Admitted): void {
  const { handler, maxBody, unread, clock } = context
  const identity = (): Identity | undefined => context.protection().identity
  // A client that went while it was found out who it is has asked for nothing.
  if (response.destroyed) return
  readBody(request, maxBody, (body) => {
    if (body === undefined) return turnAway(request, reply, { ...bodyTooLarge(maxBody), headers: ['connection', 'close'] })
    const begin = (): void => {
      // A client that went while it waited is answered by nobody.
      if (response.destroyed) return
      const exchange = handler.handle(view, body, reply, principal)
      const { endStream: end } = exchange
      const { authorization } = request.headers
      const stop = end && guardStream({ authorization, principal, end }, identity, clock)
      response.on('close', () => {
        stop?.()
        if (!response.writableFinished) exchange.disconnected()
      })
    }
    inTurn(response, () => {
      if (handler.ends(view, body, principal)) return begin()
      const leave = unread.whenRoom(begin)
      // What it sent is not to be kept for nobody.
      if (leave !== undefined) response.once('close', leave)
    })
  })
}

/**
 * Nothing came or went for a while. A request may take its time, but a client must read what waits for it. Node
 * tells only when not a byte has left meanwhile.
 */
function closeStalled(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}

/** Answers without reading the body. */
function turnAway(request: IncomingMessage, reply: NodeReply, refusal: Refusal): void {
  request.resume()
  sendRefusal(reply, refusal)
}

/** The body as text, or undefined when it is larger than allowed. Invalid UTF-8 becomes text that is not JSON. */
function readBody(request: IncomingMessage, limit: number, done: (body: string | undefined) => void): void {
  const gathered = new Gathered()
  const onData = (chunk: Buffer): void => {
    gathered.add(chunk)
    if (gathered.size <= limit) return
    gathered.clear()
    request.off('data', onData)
    request.off('end', onEnd)
    done(undefined)
  }
  const onEnd = (): void => {
    const body = gathered.take()
    done(isUtf8(body) ? body.toString('utf8') : '\0')
  }
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('error', () => undefined)
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is taken`
          : `Cannot listen on ${host}:${port} (${error.code ?? error.message})`
      reject(new ShelfError('unavailable', `${why}: choose another one`, {}, { cause: error }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function pause(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false })
}
