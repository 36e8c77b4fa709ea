import { afterEach } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { FetchHandler, FetchOptions, HttpOptions, HttpServer } from '../../src/transports/http/index.ts'
import { createFetchHandler, serveHttp } from '../../src/transports/http/index.ts'
import { envelope, MODERN } from './engine.ts'

/** The way to an endpoint, whatever stands between it and the client. */
export interface Way {
  /** Asks for `/mcp`, or for another path, as `fetch()` does. */
  ask(init: RequestInit, path?: string): Promise<Response>
}

/** A Library over HTTP. */
export interface Endpoint extends Way {
  readonly sessions: number
  close(): Promise<void>
}

const closers: (() => Promise<void>)[] = []
/** Servers of a test close with it. */
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

const acme = () => createLibrary({ name: 'acme' }).resource('a:1', () => 'one')

export async function serve(options: HttpOptions = {}, library = acme()): Promise<HttpServer & Endpoint> {
  const server = await serveHttp(library, { port: 0, drainMs: 200, ...options })
  closers.push(() => server.close())
  const ask = (init: RequestInit, path = '/mcp') => fetch(new URL(path, server.url), init)
  return Object.defineProperties({ ask } as HttpServer & Endpoint, Object.getOwnPropertyDescriptors(server))
}

/** What the URLs of requests to a `FetchHandler` begin with. */
export const ORIGIN = 'http://localhost:7467'

export async function handle(options: FetchOptions = {}, library = acme()): Promise<FetchHandler & Endpoint> {
  const handler = createFetchHandler(library, { path: '/mcp', drainMs: 200, ...options })
  closers.push(() => handler.close())
  return Object.assign(handler, { ask: (init: RequestInit, path = '/mcp') => fetchFrom(handler, new URL(path, ORIGIN), init) })
}

/** `fetch()` with this handler for a network: a client that gave up is not answered. */
export async function fetchFrom(handler: FetchHandler, url: string | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(url, init)
  const response = await handler.fetch(request)
  request.signal.throwIfAborted()
  return response
}

/** Every way to serve over HTTP, by the name of its function. */
export const SHELLS: readonly (readonly [
  name: string,
  open: (options?: FetchOptions, library?: ReturnType<typeof acme>) => Promise<Endpoint>,
])[] = [
  ['serveHttp()', serve],
  ['createFetchHandler()', handle],
]

export const BOTH = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export function post(server: Way, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return server.ask({
    method: 'POST',
    headers: { ...BOTH, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}

export function modern(
  server: Way,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  signal?: AbortSignal,
) {
  const name = params['uri'] ?? params['name']
  return post(
    server,
    { jsonrpc: '2.0', id: 1, method, params: { _meta: envelope(), ...params } },
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    signal,
  )
}

export async function code(response: Response): Promise<number | undefined> {
  const body = (await response.json()) as { error?: { code: number } }
  return body.error?.code
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {} },
}

export async function session(server: Way): Promise<Record<string, string>> {
  const response = await post(server, INITIALIZE)
  const headers = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
  await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  return headers
}

/** The stream of a legacy session. */
export function stream(server: Way, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
  return server.ask({ headers: { ...headers, accept: 'text/event-stream' }, ...(signal && { signal }) })
}

/** The events of a stream, as they come. */
export async function* events(
  response: Response,
): AsyncGenerator<{ method?: string; id?: unknown; params?: Record<string, unknown> }> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}
