import { DISCOVER, RESOURCES_LIST, RESOURCES_READ } from '../../../protocol/index.ts'
import { isObject } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { HttpAnswer, HttpProbe } from '../http-probe.ts'
import type { Probe } from '../probe.ts'
import { envelopeOf } from '../probe.ts'
import { isVersionRefusal, NO_METHOD, NO_VERSION, VERSION_REFUSAL } from './handshake.ts'
import { checkGuards, isOk } from './http-guards.ts'

const UNKNOWN_METHOD: Rule = {
  id: 'http-unknown-method',
  says: 'Over HTTP a method that does not exist is not answered with status 404 and error -32601.',
  advice: 'Answer with status 404 and a JSON-RPC error -32601.',
  cites: [{ severity: 'error', section: 'basic/transports/streamable-http#protocol-version-header', from: '2026-07-28' }],
}

const MISMATCH: Rule = {
  id: 'header-mismatch',
  says: 'A request whose `Mcp-Method` or `Mcp-Name` is missing, or says other than its body, is not answered with status 400 and error -32020.',
  advice: 'Compare both headers with the body before anything else, and answer with status 400 and HeaderMismatch.',
  cites: [{ severity: 'error', section: 'basic/transports/streamable-http#server-validation', from: '2026-07-28' }],
}

const BUFFERING: Rule = {
  id: 'stream-buffering',
  says: 'A stream is begun without `X-Accel-Buffering: no`.',
  advice: 'Send the header with every stream, so that proxies pass events on at once.',
  cites: [{ severity: 'warning', section: 'basic/transports/streamable-http#receiving-messages', from: '2026-07-28' }],
}

export const HTTP_MODERN_RULES: readonly Rule[] = [UNKNOWN_METHOD, MISMATCH, BUFFERING]

/** What the binding to HTTP of 2026-07-28 asks of a server. */
export async function checkHttpModern(probe: Probe, http: HttpProbe, uri: string | undefined): Promise<void> {
  const { report } = probe
  const client = new ModernPosts(probe, http)
  const control = await client.post(DISCOVER.method)
  if (!isOk(control)) {
    probe.skipped.push(`HTTP, since ${DISCOVER.method} is answered with status ${control.status}`)
    return
  }
  const type = control.headers['content-type'] ?? ''
  if (type.startsWith('text/event-stream') && control.headers['x-accel-buffering']?.toLowerCase() !== 'no')
    report.add(BUFFERING, {
      subject: DISCOVER.method,
      message: 'A stream has no X-Accel-Buffering: no',
      evidence: control.headers,
    })
  await checkGuards(report, http, (headers) => client.post(DISCOVER.method, { headers }))

  const unknown = await client.post(NO_METHOD)
  if (unknown.status !== 404 || codeIn(unknown) !== -32_601)
    report.add(UNKNOWN_METHOD, {
      subject: NO_METHOD,
      message: `A method that does not exist is answered with ${shown(unknown)}`,
      evidence: unknown.message,
    })

  const old = await client.post(DISCOVER.method, { version: NO_VERSION })
  if (old.status !== 400 || !isVersionRefusal(old.message?.['error']))
    report.add(VERSION_REFUSAL, {
      subject: DISCOVER.method,
      message: `A request of version ${NO_VERSION} is answered with ${shown(old)}, not with status 400, error -32022 and data.supported`,
      evidence: old.message,
    })

  await checkMismatch(probe, client, uri)
}

async function checkMismatch({ report }: Probe, client: ModernPosts, uri: string | undefined): Promise<void> {
  const cases: (readonly [what: string, answer: HttpAnswer])[] = [
    [
      'with another Mcp-Method than its body',
      await client.post(DISCOVER.method, { headers: { 'mcp-method': RESOURCES_LIST.method } }),
    ],
    ['without Mcp-Method', await client.post(DISCOVER.method, { without: 'mcp-method' })],
  ]
  if (uri !== undefined && /^[\x21-\x7e]+$/.test(uri)) {
    const headers = { 'mcp-name': `${uri}-other` }
    cases.push(['with another Mcp-Name than its body', await client.post(RESOURCES_READ.method, { headers, params: { uri } })])
  }
  for (const [what, answer] of cases) {
    if (answer.status === 400 && codeIn(answer) === -32_020) continue
    // What stands before the server owes no JSON-RPC error.
    if (!isOk(answer) && answer.message === undefined) continue
    report.add(MISMATCH, {
      subject: client.url,
      message: `A request ${what} is answered with ${shown(answer)}`,
      evidence: answer.message,
    })
  }
}

interface ModernPost {
  readonly params?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly without?: string
  readonly version?: string
}

/** Requests with the headers that they need, or with others. */
class ModernPosts {
  readonly #probe: Probe
  readonly #http: HttpProbe

  constructor(probe: Probe, http: HttpProbe) {
    this.#probe = probe
    this.#http = http
  }

  get url(): string {
    return this.#http.url.origin
  }

  post(
    method: string,
    { params = {}, headers = {}, without, version = this.#probe.facts.revision }: ModernPost = {},
  ): Promise<HttpAnswer> {
    const all: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method, ...headers }
    if (without !== undefined) delete all[without]
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelopeOf(version) } }
    return this.#http.post(message, all, this.#probe.signal)
  }
}

function codeIn({ message }: HttpAnswer): unknown {
  const error = message?.['error']
  return isObject(error) ? error['code'] : undefined
}

function shown(answer: HttpAnswer): string {
  const code = codeIn(answer)
  return `status ${answer.status}${typeof code === 'number' ? ` and error ${code}` : ''}`
}
