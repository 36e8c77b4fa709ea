import { afterEach } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { HttpOptions, HttpServer } from '../../src/transports/http/index.ts'
import { serveHttp } from '../../src/transports/http/index.ts'
import { envelope, MODERN } from './engine.ts'

const servers: HttpServer[] = []
/** Servers of a test close with it. */
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

export async function serve(options: HttpOptions = {}, library = createLibrary({ name: 'acme' }).resource('a:1', () => 'one')) {
  const server = await serveHttp(library, { port: 0, drainMs: 200, ...options })
  servers.push(server)
  return server
}

export const BOTH = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export function post(server: HttpServer, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return fetch(server.url, {
    method: 'POST',
    headers: { ...BOTH, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })
}

export function modern(
  server: HttpServer,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
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

export async function session(server: HttpServer): Promise<Record<string, string>> {
  const response = await post(server, INITIALIZE)
  const headers = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
  await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  return headers
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
