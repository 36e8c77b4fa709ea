import { ShelfError } from '../../errors.ts'
import type { Principal } from '../../library/index.ts'
import { CANCELLED, INITIALIZE, isObject, isRequestId, isRevision, LISTEN, readMessage, REVISIONS } from '../../protocol/index.ts'
import type { Engine, RequestHeaders } from '../../server/index.ts'
import { isModern } from '../../server/index.ts'
import { accepts } from './accepted.ts'
import { refuse } from './refusal.ts'
import type { HttpRequest } from './request.ts'
import type { HttpReply } from './reply.ts'
import { ReplySink } from './reply-sink.ts'
import type { Session, Sessions } from './sessions.ts'

/** A request that is being answered. */
export interface HttpExchange {
  /** The client is gone. Cancels a modern request; a legacy one goes on (2025-11-25, basic/transports). */
  disconnected(): void
  /** Ends the stream that this is, as the server ends one; undefined for an answer, which comes to its end by itself. */
  readonly endStream?: () => void
}

/** Of the text of a message that may be a cancellation; a longer one is read in its turn. */
const LONGEST_CANCEL = 1_024

const IDLE: HttpExchange = { disconnected: () => undefined }

/** The MCP endpoint without a web server: one request in, one reply out (basic/transports/streamable-http). */
export class HttpHandler {
  readonly #engine: Engine
  readonly #sessions: Sessions

  constructor(engine: Engine, sessions: Sessions) {
    this.#engine = engine
    this.#sessions = sessions
  }

  handle(request: HttpRequest, body: string, reply: HttpReply, principal: Principal): HttpExchange {
    if (request.method === 'GET') return this.#get(request, reply, principal)
    if (request.method === 'DELETE') return this.#delete(request, reply, principal)
    return this.#post(request, body, reply, principal)
  }

  /** Whether a request does nothing but end a session, or a legacy request in flight: what makes room need not wait for it. */
  ends(request: HttpRequest, body: string, principal: Principal): boolean {
    if (request.method === 'DELETE') return true
    const id = request.header('mcp-session-id')
    if (id === undefined || body.length > LONGEST_CANCEL || !body.includes(CANCELLED.method)) return false
    const value = parsed(body)
    const message = value === undefined ? undefined : readMessage(value)
    if (message?.kind !== 'notification' || message.method !== CANCELLED.method) return false
    const { requestId } = message.params
    // One that has not begun is cancelled after it has: it waits, too, and for less long.
    return isRequestId(requestId) && this.#sessions.find(id, principal)?.peer.isInFlight(requestId) === true
  }

  #post(request: HttpRequest, body: string, reply: HttpReply, principal: Principal): HttpExchange {
    const value = parsed(body)
    if (value === undefined) {
      refuse(reply, 400, new ShelfError('parse-error', 'Not valid JSON', {}))
      return IDLE
    }
    if (this.#isModern(request, value, principal)) return this.#modern(request, value, reply, principal)
    return this.#legacy(request, value, reply, principal)
  }

  /** A version header that names no revision at all is the mistake of the session beside it, if there is one. */
  #isModern(request: HttpRequest, value: unknown, principal: Principal): boolean {
    const params = isObject(value) && isObject(value['params']) ? value['params'] : {}
    if (isModern(params, undefined)) return true
    const version = request.header('mcp-protocol-version')
    const session = request.header('mcp-session-id')
    return isModern(params, version) && (isRevision(version) || session === undefined || !this.#sessions.has(session, principal))
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
    session.peer.renew(principal)
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
    const disconnected = (): void => peer.close()
    return method === LISTEN.method ? { disconnected, endStream: () => peer.endListening() } : { disconnected }
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
    session.peer.renew(principal)
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
    const drop = (): void => sink.drop()
    return { disconnected: drop, endStream: drop }
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

/** Undefined, which no JSON is, for text that is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
