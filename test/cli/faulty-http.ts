import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { runChecks } from '../../src/cli/check/run-checks.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import type { Asked } from '../client/scripted-server.ts'
import type { Methods } from './checked.ts'
import { serverOf } from './checked.ts'

/** A request as it came, and how it is answered otherwise. */
export interface Exchange {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly asked: Asked
}

/** An answer of HTTP: with a message, or without. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly message?: object
  /** As the last event of a stream. */
  readonly stream?: boolean
  /** Comes before it in the stream. */
  readonly before?: object
}

/** Answers instead of the guards, if it gives something. */
export type Fault = (exchange: Exchange) => Reply | undefined

const error = ({ id }: Asked, status: number, code: number, data?: object): Reply => ({
  status,
  message: { jsonrpc: '2.0', id, error: { code, message: 'Refused', ...(data !== undefined && { data }) } },
})

/** Serves methods over HTTP with the guards that each era wants; `fault` answers before them. */
export async function serveFaulty(
  methods: Methods,
  fault: Fault = () => undefined,
  newId: () => string = randomUUID,
): Promise<string> {
  const sessions = new Set<string>()
  const http = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => void answer(request, response, body))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const asked = (body === '' ? { method: '', params: {} } : JSON.parse(body)) as Asked
    const exchange: Exchange = {
      method: request.method ?? '',
      headers: request.headers,
      asked: { ...asked, params: asked.params ?? {} },
    }
    const modern = 'server/discover' in methods
    const reply =
      fault(exchange) ??
      guard(exchange) ??
      (modern ? guardModern(exchange, methods) : guardLegacy(exchange, sessions)) ??
      (await answered(methods, exchange, () => {
        const id = newId()
        sessions.add(id)
        return id
      }))
    const { status, headers = {}, message, stream = false, before } = reply
    const text = message === undefined ? undefined : JSON.stringify(message)
    const type = text === undefined ? {} : { 'content-type': stream ? 'text/event-stream' : 'application/json' }
    response.writeHead(status, { ...type, ...headers })
    if (before !== undefined) response.write(`data: ${JSON.stringify(before)}\n\n`)
    response.end(stream ? `data: ${text}\n\n` : text)
  }
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

function guard({ headers }: Exchange): Reply | undefined {
  if (headers.origin !== undefined) return { status: 403 }
  return headers.host?.startsWith('127.0.0.1:') === true ? undefined : { status: 403 }
}

function guardModern({ method, headers, asked }: Exchange, methods: Methods): Reply | undefined {
  if (method !== 'POST') return { status: 405 }
  const version = headers['mcp-protocol-version']
  if (version !== '2026-07-28') return error(asked, 400, -32_022, { supported: ['2026-07-28'], requested: version })
  if (headers['mcp-method'] !== asked.method) return error(asked, 400, -32_020)
  if (asked.method === 'resources/read' && headers['mcp-name'] !== asked.params['uri']) return error(asked, 400, -32_020)
  return asked.method in methods ? undefined : error(asked, 404, -32_601)
}

function guardLegacy({ method, headers, asked }: Exchange, sessions: Set<string>): Reply | undefined {
  if (asked.method === 'initialize') return undefined
  if (asked.method === 'server/discover') return error(asked, 400, -32_600)
  const session = String(headers['mcp-session-id'])
  if (headers['mcp-session-id'] === undefined) return error(asked, 400, -32_600)
  if (!sessions.has(session)) return { status: 404 }
  if (headers['mcp-protocol-version'] !== '2025-11-25') return error(asked, 400, -32_600)
  if (method === 'DELETE') return { status: sessions.delete(session) ? 204 : 404 }
  return method === 'GET' ? { status: 405 } : undefined
}

async function answered(methods: Methods, { asked }: Exchange, openSession: () => string): Promise<Reply> {
  if (asked.id === undefined) return { status: 202 }
  // What a stream of its own would carry is judged elsewhere.
  const said = (await methods[asked.method]?.(asked, serverOf({}))) ?? { error: { code: -32_601, message: 'Method not found' } }
  const message = { jsonrpc: '2.0', id: asked.id, ...('error' in said ? said : { result: said }) }
  if (asked.method !== 'initialize') return { status: 200, message }
  return { status: 200, headers: { 'mcp-session-id': openSession() }, message }
}

/** What is found of such a server: severity, rule and message. */
export async function foundOverHttp(methods: Methods, fault?: Fault, newId?: () => string): Promise<readonly string[]> {
  const url = await serveFaulty(methods, fault, newId)
  const { findings } = await runChecks(() => connectHttp(url), { http: { url, headers: {} } })
  return findings.map(({ severity, rule, message }) => `${severity} ${rule}: ${message}`)
}
