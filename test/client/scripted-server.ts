import type { ClientTransport, Connect } from '../../src/client/index.ts'

/** What a scripted server answers to one request: a result, `{ error }`, or nothing at all. */
export type Answer = Record<string, unknown> | undefined

export interface Asked {
  readonly id: number
  readonly method: string
  readonly params: Record<string, unknown>
}

/** A server that says what a test wants, at the other end of a transport in memory. */
export interface ScriptedServer {
  readonly connect: Connect
  /** Every request, over all connections. */
  readonly asked: Asked[]
  /** Notifications of the client. */
  readonly told: { readonly method: string; readonly params: Record<string, unknown> }[]
  readonly connections: number
  /** Sends any message over the newest connection. */
  send(message: unknown): void
  notify(method: string, params?: object): void
  /** Ends the newest connection, as a process that died. */
  die(): void
}

export const MODERN_FACTS = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { resources: { subscribe: true, listChanged: true }, completions: {} },
}

/** A server of the modern era, which answers as `answer` says; discovery it knows by itself. */
export function modernServer(answer: (asked: Asked) => Answer | Promise<Answer>, facts: object = MODERN_FACTS): ScriptedServer {
  return scripted((asked) => (asked.method === 'server/discover' ? (facts as Answer) : answer(asked)))
}

/** A server of the legacy era; `initialize` it knows by itself, and `ping`. */
export function legacyServer(
  answer: (asked: Asked) => Answer | Promise<Answer>,
  capabilities: object = { resources: { subscribe: true, listChanged: true }, completions: {} },
  protocolVersion = '2025-11-25',
): ScriptedServer {
  return scripted((asked) => {
    if (asked.method === 'server/discover') return { error: { code: -32_601, message: 'Method not found' } }
    if (asked.method === 'initialize') return { protocolVersion, capabilities, serverInfo: { name: 'old', version: '1' } }
    if (asked.method === 'ping') return {}
    return answer(asked)
  })
}

/** A server that knows nothing by itself. */
export function scripted(answer: (asked: Asked) => Answer | Promise<Answer>, onStart?: () => void): ScriptedServer {
  const asked: Asked[] = []
  const told: { method: string; params: Record<string, unknown> }[] = []
  let newest: ClientTransport | undefined
  let connections = 0
  const deliver = (transport: ClientTransport, message: unknown): void => transport.onmessage?.(structuredClone(message))
  const receive = async (transport: ClientTransport, message: Record<string, unknown>): Promise<void> => {
    const params = (message['params'] ?? {}) as Record<string, unknown>
    const method = String(message['method'])
    if (message['id'] === undefined) return void told.push({ method, params })
    const request = { id: message['id'] as number, method, params }
    asked.push(request)
    const said = await answer(request)
    if (said === undefined) return
    deliver(transport, { jsonrpc: '2.0', id: request.id, ...('error' in said ? said : { result: said }) })
  }
  return {
    asked,
    told,
    get connections() {
      return connections
    },
    connect: () => {
      connections++
      let closed = false
      const transport: ClientTransport = {
        start: async () => onStart?.(),
        send: async (message) => {
          if (closed) throw new Error('closed')
          void receive(transport, structuredClone(message) as Record<string, unknown>)
        },
        close: async () => {
          if (closed) return
          closed = true
          transport.onclose?.()
        },
      }
      newest = transport
      return transport
    },
    send: (message) => deliver(newest!, message),
    notify: (method, params = {}) => deliver(newest!, { jsonrpc: '2.0', method, params }),
    die: () => void newest?.close(),
  }
}
