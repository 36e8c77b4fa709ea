import { INITIALIZE, INITIALIZED, PING } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { HttpAnswer, HttpProbe } from '../http-probe.ts'
import type { Probe } from '../probe.ts'
import { VERSION } from '../../version.ts'
import { NO_VERSION } from './handshake.ts'
import { checkGuards, isOk } from './http-guards.ts'

const NOTIFICATION: Rule = {
  id: 'notification-status',
  says: 'A notification that is taken is answered with another status than 202.',
  advice: 'Answer with 202 Accepted and no body.',
  cites: [
    { severity: 'error', section: 'basic/transports#sending-messages-to-the-server', from: '2025-03-26', until: '2025-11-25' },
  ],
}

const VERSION_HEADER: Rule = {
  id: 'version-header',
  says: 'A request whose `MCP-Protocol-Version` is of no version is not answered with status 400.',
  advice: 'Refuse versions that you do not serve with 400 Bad Request.',
  cites: [{ severity: 'error', section: 'basic/transports#protocol-version-header', from: '2025-06-18', until: '2025-11-25' }],
}

const GET: Rule = {
  id: 'get-status',
  says: 'A GET is answered neither with an event stream nor with status 405.',
  advice: 'Offer the stream, or answer with 405 Method Not Allowed.',
  cites: [
    {
      severity: 'error',
      section: 'basic/transports#listening-for-messages-from-the-server',
      from: '2025-03-26',
      until: '2025-11-25',
    },
  ],
}

const SESSION_ID: Rule = {
  id: 'session-id',
  says: 'A session id has a character that is no visible ASCII.',
  advice: 'Make session ids of characters from 0x21 to 0x7E, such as a UUID.',
  cites: [{ severity: 'error', section: 'basic/transports#session-management', from: '2025-03-26', until: '2025-11-25' }],
}

const ENDED_SESSION: Rule = {
  id: 'session-ended',
  says: 'A request of a session that was ended by DELETE is not answered with status 404.',
  advice: 'Answer requests of sessions that are over with 404 Not Found, so that clients begin a new one.',
  cites: [{ severity: 'error', section: 'basic/transports#session-management', from: '2025-03-26', until: '2025-11-25' }],
}

const NO_SESSION: Rule = {
  id: 'session-missing',
  says: 'A request without the session id that the server needs is refused with another status than 400.',
  advice: 'Answer with 400 Bad Request.',
  cites: [{ severity: 'warning', section: 'basic/transports#session-management', from: '2025-03-26', until: '2025-11-25' }],
}

const OLD_TRANSPORT: Rule = {
  id: 'deprecated-transport',
  says: 'The server has only the transport HTTP+SSE of 2024-11-05, which is deprecated.',
  advice: 'Serve Streamable HTTP.',
  cites: [
    { severity: 'info', section: 'basic/transports#http-with-sse', until: '2024-11-05' },
    { severity: 'info', section: 'basic/transports#streamable-http', from: '2025-03-26', until: '2025-11-25' },
  ],
}

export const HTTP_LEGACY_RULES: readonly Rule[] = [
  NOTIFICATION,
  VERSION_HEADER,
  GET,
  SESSION_ID,
  ENDED_SESSION,
  NO_SESSION,
  OLD_TRANSPORT,
]

/** What Streamable HTTP before 2026-07-28 asks of a server, in a session of its own that is ended again. */
export async function checkHttpLegacy(probe: Probe, http: HttpProbe): Promise<void> {
  const { report } = probe
  const subject = http.url.origin
  if (!probe.wire.perRequest)
    return report.add(OLD_TRANSPORT, { subject, message: 'The server has only the transport HTTP+SSE, which is deprecated' })
  const client = new LegacyPosts(probe, http)
  const control = await client.open()
  if (!isOk(control)) {
    probe.skipped.push(`HTTP, since ${INITIALIZE.method} is answered with status ${control.status}`)
    return
  }
  const { session } = client
  if (session !== undefined && !/^[\x21-\x7e]*$/.test(session))
    report.add(SESSION_ID, { subject, message: 'A session id has a character that is no visible ASCII', evidence: session })
  const told = await client.notify()
  if (isOk(told) && told.status !== 202)
    report.add(NOTIFICATION, { subject: INITIALIZED.method, message: `A notification is answered with status ${told.status}` })

  if (isOk(await client.ping())) {
    const odd = await client.ping({ 'mcp-protocol-version': NO_VERSION })
    if (odd.status !== 400)
      report.add(VERSION_HEADER, {
        subject,
        message: `A request with MCP-Protocol-Version: ${NO_VERSION} is answered with status ${odd.status}`,
        evidence: odd.message,
      })
    await checkGuards(report, http, (headers) => client.ping(headers))
  }
  const stream = await client.get()
  if (stream.status !== 405 && !(isOk(stream) && (stream.headers['content-type'] ?? '').startsWith('text/event-stream')))
    report.add(GET, {
      subject,
      message: `A GET is answered with status ${stream.status}`,
      evidence: stream.headers['content-type'],
    })
  if (session !== undefined) await checkSession(probe, client, subject)
}

async function checkSession({ report }: Probe, client: LegacyPosts, subject: string): Promise<void> {
  const without = await client.pingWithoutSession()
  if (!isOk(without) && without.status !== 400)
    report.add(NO_SESSION, {
      subject,
      message: `A request without its session id is answered with status ${without.status}`,
      evidence: without.message,
    })
  if (!isOk(await client.end())) return
  const after = await client.ping()
  if (after.status !== 404)
    report.add(ENDED_SESSION, {
      subject,
      message: `A request of a session that is over is answered with status ${after.status}`,
      evidence: after.message,
    })
}

/** One session, message by message. */
class LegacyPosts {
  readonly #probe: Probe
  readonly #http: HttpProbe
  session: string | undefined

  constructor(probe: Probe, http: HttpProbe) {
    this.#probe = probe
    this.#http = http
  }

  async open(): Promise<HttpAnswer> {
    const { revision: protocolVersion } = this.#probe.facts
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'shelfmark', version: VERSION } }
    const answer = await this.#post({ jsonrpc: '2.0', id: 1, method: INITIALIZE.method, params }, {})
    this.session = answer.headers['mcp-session-id']
    return answer
  }

  notify(): Promise<HttpAnswer> {
    return this.#post({ jsonrpc: '2.0', method: INITIALIZED.method }, this.#own)
  }

  ping(headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.#post({ jsonrpc: '2.0', id: 2, method: PING.method }, { ...this.#own, ...headers })
  }

  pingWithoutSession(): Promise<HttpAnswer> {
    const { 'mcp-session-id': _, ...headers } = this.#own
    return this.#post({ jsonrpc: '2.0', id: 2, method: PING.method }, headers)
  }

  get(): Promise<HttpAnswer> {
    return this.#http.send('GET', this.#own, undefined, this.#probe.signal)
  }

  end(): Promise<HttpAnswer> {
    return this.#http.send('DELETE', this.#own, undefined, this.#probe.signal)
  }

  get #own(): Readonly<Record<string, string>> {
    return {
      'mcp-protocol-version': this.#probe.facts.revision,
      ...(this.session !== undefined && { 'mcp-session-id': this.session }),
    }
  }

  #post(message: unknown, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    return this.#http.post(message, headers, this.#probe.signal)
  }
}
