import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import { ShelfError } from '../../errors.ts'
import type { Library } from '../../library/index.ts'
import type { FetchHandler, FetchOptions } from './fetch-handler.ts'
import { createFetchHandler } from './fetch-handler.ts'
import { reporterOf } from './reporter.ts'
import type { Reporter } from './reporter.ts'

type Body = NonNullable<RequestInit['body']>

/** A request of `node:http`, as frameworks hand it on. */
export interface NodeRequest extends IncomingMessage {
  /** The target as it came, where a framework takes away the path that it is mounted at. */
  readonly originalUrl?: string
  /** What a parser before this made of the body. */
  readonly body?: unknown
}

/** The MCP endpoint as a request listener of `node:http`. */
export interface NodeHandler extends Omit<FetchHandler, 'fetch'> {
  /** Answers one request. Bound, so that it may be handed on as it is; settles when the answer has left, and never rejects. */
  readonly handle: (request: NodeRequest, response: ServerResponse) => Promise<void>
}

/**
 * Serves a Library from a web server of `node:http` that is there already, with all that `createFetchHandler` says. A body
 * that was parsed before may be handed on as `request.body`.
 *
 * @throws ShelfError `invalid-option` as `createFetchHandler` does
 */
export function createNodeHandler(library: Library, options: FetchOptions = {}): NodeHandler {
  const inner = createFetchHandler(library, options)
  const report = reporterOf(options)
  return {
    handle: (request, response) => handle(inner, request, response, report),
    get sessions() {
      return inner.sessions
    },
    start: () => inner.start(),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner.close(),
  }
}

async function handle(inner: FetchHandler, request: NodeRequest, response: ServerResponse, report: Reporter): Promise<void> {
  const gone = new AbortController()
  // What stands before this may have taken longer than the client waited.
  if (response.closed) gone.abort()
  else response.once('close', () => gone.abort())
  response.on('error', () => undefined)
  let asked: Request
  try {
    asked = requestOf(request, gone.signal)
  } catch {
    // A target or a header that no Request can have.
    if (!response.headersSent) response.writeHead(400).end()
    return
  }
  const { status, headers, body } = await inner.fetch(asked)
  if (!request.readableEnded) void letGo(request, asked)
  try {
    response.writeHead(status, Object.fromEntries(headers))
    // The stream of a Response and that of Node are one, with types of two places.
    const stream: unknown = body
    if (stream === null) response.end()
    else await pipeline(Readable.fromWeb(stream as ReadableStream), response)
  } catch (error) {
    // Whoever has gone is told nothing; a body that breaks off breaks the connection off.
    if (!gone.signal.aborted) report(ShelfError.from(error), 'sending an answer')
    response.destroy()
  }
}

/** The rest of a body that was refused comes, and nothing of it is kept: who still writes does not read the answer. */
async function letGo(request: NodeRequest, asked: Request): Promise<void> {
  await asked.body?.cancel().catch(() => undefined)
  request.resume()
}

function requestOf(request: NodeRequest, signal: AbortSignal): Request {
  const { method = 'GET', rawHeaders, headers, originalUrl, url = '/' } = request
  const scheme = 'encrypted' in request.socket ? 'https' : 'http'
  const target = originalUrl ?? url
  const address = target.startsWith('/') ? `${scheme}://${headers.host ?? ''}${target}` : target
  const copied = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) copied.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const asked = new Request(address, {
    method,
    headers: copied,
    signal,
    ...(hasBody && { body: bodyOf(request), duplex: 'half' }),
  })
  // A Request that was read, too, so that it is refused as such.
  if (hasBody && isReadBefore(request)) asked.text().catch(() => undefined)
  return asked
}

/** Whether somebody has read the body and has not handed it on. */
function isReadBefore({ readableEnded, body, headers }: NodeRequest): boolean {
  if (!readableEnded || body !== undefined) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The body as it comes, or as JSON again where a parser has read it. */
function bodyOf(request: NodeRequest): Body {
  const { body } = request
  if (!request.readableEnded || body === undefined) {
    // What is not wanted of a body is left to come: a connection that is broken off takes the answer with it.
    const stream: unknown = ReadableStream.from(request.iterator({ destroyOnReturn: false }))
    return stream as Body
  }
  if (typeof body === 'string' || body instanceof Uint8Array) return body as Body
  return JSON.stringify(body)
}
