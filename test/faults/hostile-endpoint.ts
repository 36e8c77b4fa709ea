import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly text: string
  /** The message of the body, if it is one. */
  readonly message: { readonly id?: number | string; readonly method?: string }
}

export interface Endpoint {
  readonly url: string
  readonly server: Server
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
}

/** A server that answers as it is told; gone with the test. */
export async function endpointThat(answer: (asked: Asked) => void): Promise<Endpoint> {
  const listener: RequestListener = (request, response) => {
    let text = ''
    response.on('error', () => undefined)
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => answer({ request, response, text, message: messageOf(text) }))
  }
  const server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server, sockets }
}

function messageOf(text: string): Asked['message'] {
  return text.startsWith('{') ? (JSON.parse(text) as Asked['message']) : {}
}

export const JSON_TYPE = { 'content-type': 'application/json' }
export const EVENTS = { 'content-type': 'text/event-stream' }

/** What answers a request, as JSON. */
export function answerTo({ id, method }: Asked['message'], result: object = {}): string {
  const found =
    method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
      : result
  return JSON.stringify({ jsonrpc: '2.0', id, result: found })
}

/** Writes for as long as somebody reads. */
export function forever(response: ServerResponse, piece: Buffer | string): void {
  const more = (): void => {
    while (!response.destroyed) {
      if (!response.write(piece)) {
        response.once('drain', more)
        return
      }
    }
  }
  more()
}
