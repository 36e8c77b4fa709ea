import { ShelfError } from '../../errors.ts'
import type { Principal } from '../../library/index.ts'
import { INITIALIZE, isObject, isRevision, LISTEN, REVISIONS, toWireError } from '../../protocol/index.ts'
import type { Engine, RequestHeaders } from '../../server/index.ts'
import { isModern } from '../../server/index.ts'
import type { HeaderList, HttpReply } from './reply.ts'
import type { Accepted } from './reply-sink.ts'
import { ReplySink } from './reply-sink.ts'
import type { Session, Sessions } from './sessions.ts'

/** One HTTP request, as far as this handler needs it. */
export interface HttpRequest {
  readonly method: string
  /** The value of a header, by its lower-case name. */
  header(name: string): string | undefined
}

/** A request that is being answered. */
export interface HttpExchange {
  /** The client is gone. Cancels a modern request; a legacy one goes on (2025-11-25, basic/transports). */
  disconnected(): void
}

const IDLE: HttpExchange = { disconnected: () => undefined }

/** The MCP endpoint without a web server: one request in, one reply out (basic/transports/streamable-http). */
export class HttpHandler {
  readonly #engine: Engine
  readonly #sessions: Sessions

  constructor(engine: Engine, sessions: Sessions) {
    this.#engine = engine
    this.#sessions = sessions
  }

  /** What can be said before the body is read: undefined when the body is wanted. */
  refusal(
    request: HttpRequest,
  ): { readonly status: number; readonly headers?: HeaderList; readonly error?: ShelfError } | undefined {
    switch (request.method) {
      case 'POST':
        return refusePost(request)
      case 'GET':
      case 'DELETE':
        return undefined
      default:
        return { status: 405, headers: ['allow', 'POST, GET, DELETE'] }
    }
  }

  handle(request: HttpRequest, body: string, reply: HttpReply, principal: Principal): HttpExchange {
    if (request.method === 'GET') return this.#get(request, reply, principal)
    if (request.method === 'DELETE') return this.#delete(request, reply, principal)
    return this.#post(request, body, reply, principal)
  }

  #post(request: HttpRequest, body: string, reply: HttpReply, principal: Principal): HttpExchange {
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      refuse(reply, 400, new ShelfError('parse-error', 'Not valid JSON', {}))
      return IDLE
    }
    if (this.#isModern(request, value)) return this.#modern(request, value, reply, principal)
    return this.#legacy(request, value, reply, principal)
  }

  /** A version header that names no revision at all is the mistake of the session beside it, if there is one. */
  #isModern(request: HttpRequest, value: unknown): boolean {
    const params = isObject(value) && isObject(value['params']) ? value['params'] : {}
    if (isModern(params, undefined)) return true
    const version = request.header('mcp-protocol-version')
    const session = request.header('mcp-session-id')
    return isModern(params, version) && (isRevision(version) || session === undefined || !this.#sessions.has(session))
  }

  #legacy(request: HttpRequest, value: unknown, reply: HttpReply, principal: Principal): HttpExchange {
    const version = request.header('mcp-protocol-version')
    if (version !== undefined && !(isRevision(version) && REVISIONS[version].http)) {
      const message = `MCP-Protocol-Version ${JSON.stringify(version.slice(0, 64))} is not served over HTTP`
      refuse(reply, 400, new ShelfError('invalid-request', message, {}))
      return IDLE
    }
    const sessionId = request.header('mcp-session-id')
    if (sessionId === undefined && isObject(value) && value['method'] === INITIALIZE.method) {
      return this.#open(request, value, reply, principal)
    }
    const session = this.#session(sessionId, reply, principal)
    if (session === undefined) return IDLE
    const sink = new ReplySink(reply, accepts(request))
    sink.whenEnded(this.#sessions.hold(session))
    if (!session.peer.receive(value, sink)) sink.accept()
    return IDLE
  }

  #modern(request: HttpRequest, value: unknown, reply: HttpReply, principal: Principal): HttpExchange {
    const version = request.header('mcp-protocol-version')
    const peer = this.#engine.openPeer({ principal, http: true })
    const method = request.header('mcp-method')
    const accepted = accepts(request)
    if (method === LISTEN.method && !accepted.events) {
      refuse(reply, 406, new ShelfError('invalid-request', `${LISTEN.method} needs Accept to list text/event-stream`, {}))
      return IDLE
    }
    const headers: RequestHeaders = { version, method, name: request.header('mcp-name') }
    const sink = new ReplySink(reply, accepted)
    if (!peer.receive(value, sink, headers)) {
      if (isObject(value) && 'method' in value) sink.accept()
      else peer.refuse(sink, new ShelfError('invalid-request', 'This server sends no requests, so it takes no responses', {}))
    }
    return { disconnected: () => peer.close() }
  }

  #open(request: HttpRequest, value: unknown, reply: HttpReply, principal: Principal): HttpExchange {
    let session: Session
    try {
      session = this.#sessions.open(this.#engine.openPeer({ principal, http: true }))
    } catch (error) {
      refuse(reply, 503, error)
      return IDLE
    }
    const sink = new ReplySink(reply, accepts(request), ['mcp-session-id', session.id], (failed) => {
      if (failed) this.#sessions.close(session.id)
    })
    sink.whenEnded(this.#sessions.hold(session))
    if (!session.peer.receive(value, sink)) {
      sink.accept()
      this.#sessions.close(session.id)
    }
    return IDLE
  }

  /** The stream for what is sent unasked in the legacy era; a new one takes over from an old one. */
  #get(request: HttpRequest, reply: HttpReply, principal: Principal): HttpExchange {
    const version = request.header('mcp-protocol-version')
    if (version !== undefined && !(isRevision(version) && REVISIONS[version].http && REVISIONS[version].era === 'legacy')) {
      void reply.send(isRevision(version) ? 405 : 400, isRevision(version) ? ['allow', 'POST'] : [])
      return IDLE
    }
    const session = this.#session(request.header('mcp-session-id'), reply, principal)
    if (session === undefined) return IDLE
    if (!/text\/event-stream|\*\/\*/.test(request.header('accept') ?? '')) {
      refuse(reply, 406, new ShelfError('invalid-request', 'Accept must list text/event-stream', {}))
      return IDLE
    }
    const sink = new ReplySink(reply, { json: false, events: true })
    sink.open()
    session.stream?.drop()
    session.stream = sink
    session.peer.attach(sink)
    const release = this.#sessions.hold(session)
    sink.whenEnded(() => {
      if (session.stream === sink) {
        session.stream = undefined
        session.peer.attach(undefined)
      }
      release()
    })
    return { disconnected: () => sink.drop() }
  }

  #delete(request: HttpRequest, reply: HttpReply, principal: Principal): HttpExchange {
    const version = request.header('mcp-protocol-version')
    if (isRevision(version) && REVISIONS[version].era === 'modern') {
      void reply.send(405, ['allow', 'POST'])
      return IDLE
    }
    const session = this.#session(request.header('mcp-session-id'), reply, principal)
    if (session === undefined) return IDLE
    this.#sessions.close(session.id)
    void reply.send(204, [])
    return IDLE
  }

  /** A session of somebody else answers like one that has ended. */
  #session(id: string | undefined, reply: HttpReply, principal: Principal): Session | undefined {
    if (id === undefined) {
      refuse(
        reply,
        400,
        new ShelfError('invalid-request', 'Mcp-Session-Id is missing: send initialize first, or a request of 2026-07-28', {}),
      )
      return undefined
    }
    const session = this.#sessions.find(id, principal)
    if (session === undefined)
      refuse(reply, 404, new ShelfError('invalid-request', 'This session has ended: send initialize again', {}))
    return session
  }
}

const JSON_TYPE = /^application\/json\s*(;\s*[\w.+-]+\s*=\s*("[^"]*"|[\w.+-]+)\s*)*$/i

function refusePost(request: HttpRequest): ReturnType<HttpHandler['refusal']> {
  const type = request.header('content-type') ?? ''
  if (type !== 'application/json' && !JSON_TYPE.test(type)) {
    return { status: 415, error: new ShelfError('invalid-request', 'Content-Type must be application/json', {}) }
  }
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    return {
      status: 415,
      headers: ['accept-encoding', 'identity'],
      error: new ShelfError('invalid-request', 'Content-Encoding must be identity', {}),
    }
  }
  const { json, events } = accepts(request)
  if (json || events) return undefined
  return { status: 406, error: new ShelfError('invalid-request', 'Accept must list application/json and text/event-stream', {}) }
}

/** Which forms of answer the client takes; no Accept header means all. */
function accepts(request: HttpRequest): Accepted {
  const accept = request.header('accept')
  if (accept === undefined) return { json: true, events: true }
  const any = accept.includes('*/*')
  return {
    json: any || accept.includes('application/json') || accept.includes('application/*'),
    events: any || accept.includes('text/event-stream') || accept.includes('text/*'),
  }
}

/** Answers what never became a message: an error without an id (basic/transports/streamable-http). */
export function refuse(reply: HttpReply, status: number, error: unknown, headers: HeaderList = []): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: toWireError(error, 'modern') })
  void reply.send(status, ['content-type', 'application/json', ...headers], body)
}
