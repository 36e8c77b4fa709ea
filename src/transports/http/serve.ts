import { isUtf8 } from 'node:buffer'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { ShelfError } from '../../errors.ts'
import type { Library, Principal } from '../../library/index.ts'
import { LOCAL } from '../../library/index.ts'
import { adviseOnStderr, processDefaults, reportToStderr } from '../../runtime/index.ts'
import type { EngineOptions } from '../../server/index.ts'
import { openEngine } from '../../server/index.ts'
import { Gate, hostInUrl, isLoopback } from './gate.ts'
import type { HttpExchange, HttpRequest } from './handler.ts'
import { HttpHandler, refuse } from './handler.ts'
import type { NodeStream } from './node-reply.ts'
import { NodeReply } from './node-reply.ts'
import { Sessions } from './sessions.ts'

export interface HttpOptions extends Partial<EngineOptions> {
  /** Default 127.0.0.1. Only loopback addresses: there is no authentication yet, so nobody else may come near. */
  readonly host?: string
  /** Default 7467; 0 takes any free one. */
  readonly port?: number
  /** Default `/mcp`. */
  readonly path?: string
  /** Further values of `Host` that are served, as `name:port`. */
  readonly allowedHosts?: readonly string[]
  /** Further values of `Origin` that are allowed, as `https://name:port`. */
  readonly allowedOrigins?: readonly string[]
  /** The longest request body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
  /** When a legacy session that nobody uses ends, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number
  /** Legacy sessions in all. Default 1,000. */
  readonly maxSessions?: number
  /** How often a quiet stream gets a comment, in milliseconds. Default 15 seconds. */
  readonly keepAliveMs?: number
  /** When a connection whose client does not read what waits for it is closed, in milliseconds. Default 30 seconds. */
  readonly stallMs?: number
  /** How long requests may go on after `close()`, in milliseconds. Default 5 seconds. */
  readonly drainMs?: number
}

export interface HttpServer extends AsyncDisposable {
  /** The endpoint, for example `http://127.0.0.1:7467/mcp`. */
  readonly url: string
  readonly port: number
  /** Legacy sessions that are open. */
  readonly sessions: number
  /** Ends listen streams with their results, lets requests finish, then closes connections and disposes the Library. */
  close(): Promise<void>
}

const MIB = 1024 * 1024

/**
 * Serves a Library over Streamable HTTP, in both eras, on one endpoint. Takes ownership of the Library.
 *
 * @throws ShelfError `invalid-option` for an address that others can reach, `unavailable` for a port that is taken
 */
export async function serveHttp(library: Library, options: HttpOptions = {}): Promise<HttpServer> {
  const {
    host = '127.0.0.1',
    port = 7467,
    path = '/mcp',
    maxBody = MIB,
    drainMs = 5_000,
    keepAliveMs = 15_000,
    stallMs = 30_000,
  } = options
  if (!isLoopback(host)) {
    throw new ShelfError(
      'invalid-option',
      `host must be a loopback address such as 127.0.0.1, got ${JSON.stringify(host)}: others could read everything`,
      {
        option: 'host',
      },
    )
  }
  const settings = { ...processDefaults(), ...options }
  const engine = await openEngine(library, settings).catch(async (error: unknown) => {
    await library[Symbol.asyncDispose]()
    throw error
  })
  adviseOnStderr(library.advice)
  const sessions = new Sessions(settings.clock, {
    idleMs: options.sessionIdleMs ?? 30 * 60_000,
    limit: options.maxSessions ?? 1_000,
  })
  const handler = new HttpHandler(engine, sessions)
  const streams = new Set<NodeStream>()
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
    // A second Host or Content-Type is then seen, and refused with the first.
    joinDuplicateHeaders: true,
  })
  server.timeout = stallMs
  const bound = await listen(server, host, port).catch(async (error: unknown) => {
    await engine.close()
    await library[Symbol.asyncDispose]()
    throw error
  })
  server.on('error', (error) => reportToStderr(error, { method: 'accepting a connection' }))
  const gate = new Gate(bound, host, { hosts: options.allowedHosts ?? [], origins: options.allowedOrigins ?? [] })
  server.on('request', (request, response) =>
    answer(request, response, { handler, gate, path, maxBody, streams, principal: LOCAL }),
  )

  const keepAlive = setInterval(() => {
    for (const stream of streams) stream.keepAlive()
  }, keepAliveMs)
  keepAlive.unref()

  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      clearInterval(keepAlive)
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await Promise.race([engine.close(), pause(drainMs)])
      sessions.closeAll()
      server.closeIdleConnections()
      const drained = await Promise.race([closed.then(() => true), pause(drainMs)])
      if (drained !== true) server.closeAllConnections()
      await closed
      await Promise.race([library[Symbol.asyncDispose](), pause(drainMs)])
    })())
  return {
    url: `http://${hostInUrl(host)}:${bound}${path}`,
    port: bound,
    get sessions() {
      return sessions.size
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Context {
  readonly handler: HttpHandler
  readonly gate: Gate
  readonly path: string
  readonly maxBody: number
  readonly streams: Set<NodeStream>
  readonly principal: Principal
}

function answer(request: IncomingMessage, response: ServerResponse, context: Context): void {
  const { handler, gate, maxBody } = context
  const reply = new NodeReply(response, context.streams)
  response.on('error', () => undefined)
  response.on('timeout', closeStalled)
  const { headers } = request
  const refused = gate.refusal(headers.host, headers.origin)
  if (refused !== undefined) return turnAway(request, () => refuse(reply, 403, refused))
  if (pathOf(request.url) !== context.path) return turnAway(request, () => reply.send(404, []))
  const view: HttpRequest = {
    method: request.method ?? '',
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
  const refusal = handler.refusal(view)
  if (refusal !== undefined) {
    return turnAway(request, () => {
      if (refusal.error === undefined) void reply.send(refusal.status, refusal.headers ?? [])
      else refuse(reply, refusal.status, refusal.error, refusal.headers)
    })
  }
  readBody(request, maxBody, (body) => {
    if (body === undefined) {
      const error = new ShelfError('too-large', `The body is larger than the limit of ${maxBody} bytes`, {
        size: maxBody + 1,
        limit: maxBody,
      })
      turnAway(request, () => refuse(reply, 413, error, ['connection', 'close']))
      return
    }
    const exchange: HttpExchange = handler.handle(view, body, reply, context.principal)
    response.on('close', () => {
      if (!response.writableFinished) exchange.disconnected()
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
function turnAway(request: IncomingMessage, send: () => void): void {
  request.resume()
  send()
}

function pathOf(url: string | undefined): string {
  const end = url?.indexOf('?') ?? -1
  return end < 0 ? (url ?? '') : url!.slice(0, end)
}

/** The body as text, or undefined when it is larger than allowed. Invalid UTF-8 becomes text that is not JSON. */
function readBody(request: IncomingMessage, limit: number, done: (body: string | undefined) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    if (size <= limit) {
      chunks.push(chunk)
      return
    }
    request.off('data', onData)
    request.off('end', onEnd)
    done(undefined)
  }
  const onEnd = (): void => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
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
