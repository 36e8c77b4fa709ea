import { describe, expect, it } from 'vitest'
import { HttpProbe } from '../../src/cli/check/http-probe.ts'
import { Report } from '../../src/cli/check/report.ts'
import { checkGuards } from '../../src/cli/check/rules/http-guards.ts'
import { runChecks } from '../../src/cli/check/run-checks.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import { HINTS, LEGACY, MODERN } from './checked.ts'
import type { Methods } from './checked.ts'
import type { Fault } from './faulty-http.ts'
import { foundOverHttp, serveFaulty } from './faulty-http.ts'

/** Without streams, which have tests of their own. */
const DISCOVERY = {
  ...HINTS,
  supportedVersions: ['2026-07-28'],
  capabilities: { resources: {}, completions: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'n', version: '1' } },
}
const NEW: Methods = { ...MODERN, 'server/discover': () => DISCOVERY }

const DISCOVERED = { jsonrpc: '2.0', id: 1, result: {} }
const PONG = { jsonrpc: '2.0', id: 2, result: {} }
const rpcError = (code: number) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'No' } })

describe('runChecks(), over HTTP of 2026-07-28', () => {
  const cases: readonly (readonly [what: string, fault: Fault, findings: readonly string[]])[] = [
    ['a server that does all of it', () => undefined, []],
    [
      'one that looks at no Origin',
      ({ headers }) => (headers.origin === undefined ? undefined : { status: 200, message: DISCOVERED }),
      ['error origin-accepted: A request with Origin: http://shelfmark-check.invalid is answered'],
    ],
    [
      'one that refuses an Origin with another status',
      ({ headers }) => (headers.origin === undefined ? undefined : { status: 400 }),
      ['error origin-status: A request with Origin: http://shelfmark-check.invalid is refused with status 400'],
    ],
    [
      'one that answers to any name',
      ({ headers }) => (headers.host?.includes('invalid') === true ? { status: 200, message: DISCOVERED } : undefined),
      ['info host-accepted: A request with Host: shelfmark-check.invalid:PORT is answered'],
    ],
    [
      'one that answers unknown methods with status 200',
      ({ asked }) =>
        asked.method.endsWith('no-such-method') ? { status: 200, message: { ...rpcError(-32_601), id: asked.id } } : undefined,
      ['error http-unknown-method: A method that does not exist is answered with status 200 and error -32601'],
    ],
    [
      'one that serves any version',
      ({ headers }) => (headers['mcp-protocol-version'] === '1900-01-01' ? { status: 200, message: DISCOVERED } : undefined),
      [
        'error version-refusal: A request of version 1900-01-01 is answered with status 200, not with status 400, error -32022 and data.supported',
      ],
    ],
    [
      'one that does not compare Mcp-Method',
      ({ headers, asked }) =>
        asked.method === 'server/discover' && headers['mcp-method'] !== asked.method
          ? { status: 200, message: DISCOVERED }
          : undefined,
      [
        'error header-mismatch: A request with another Mcp-Method than its body is answered with status 200',
        'error header-mismatch: A request without Mcp-Method is answered with status 200',
      ],
    ],
    [
      'one that refuses another Mcp-Name with an error of its own',
      ({ headers }) => (String(headers['mcp-name']).endsWith('-other') ? { status: 400, message: rpcError(-32_600) } : undefined),
      ['error header-mismatch: A request with another Mcp-Name than its body is answered with status 400 and error -32600'],
    ],
    [
      'one behind something that owes no message',
      ({ headers }) => (String(headers['mcp-name']).endsWith('-other') ? { status: 400 } : undefined),
      [],
    ],
    [
      'one that streams without asking proxies not to wait',
      ({ asked, headers }) =>
        asked.method === 'server/discover' &&
        headers.origin === undefined &&
        headers.host?.startsWith('127') === true &&
        headers['mcp-method'] === asked.method &&
        headers['mcp-protocol-version'] === '2026-07-28'
          ? { status: 200, stream: true, message: { jsonrpc: '2.0', id: asked.id, result: DISCOVERY } }
          : undefined,
      ['warning stream-buffering: A stream has no X-Accel-Buffering: no'],
    ],
  ]

  it.each(cases)('judges %s', async (_, fault, findings) => {
    const seen = await foundOverHttp(NEW, fault)
    expect(seen.map((one) => one.replace(/invalid:\d+/, 'invalid:PORT'))).toEqual(findings)
  })

  it('finds a request on a stream, where only answers and notifications may come', async () => {
    const fault: Fault = ({ asked }) =>
      asked.method === 'resources/templates/list'
        ? {
            status: 200,
            stream: true,
            headers: { 'x-accel-buffering': 'no' },
            before: { jsonrpc: '2.0', id: 9, method: 'roots/list' },
            message: { jsonrpc: '2.0', id: asked.id, result: { ...HINTS, resourceTemplates: [] } },
          }
        : undefined
    expect(await foundOverHttp(NEW, fault)).toEqual([
      'error stream-request: The server asks roots/list of a client that declared nothing',
    ])
  })

  it('takes a server elsewhere that serves any site for one that may mean to', async () => {
    const report = new Report('2026-07-28')
    const asked: unknown[] = []
    await checkGuards(report, new HttpProbe('https://mcp.example/mcp', {}, 1_000), async (headers) => {
      asked.push(headers)
      return { status: 200, headers: {}, message: DISCOVERED }
    })
    expect(report.findings.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(['info origin-any'])
    // Elsewhere the name in Host chooses the server.
    expect(asked).toEqual([{ origin: 'http://shelfmark-check.invalid' }])
  })

  it('looks at HTTP only where what it sends by itself is answered, and says so', async () => {
    // What the client sends has an id of its own.
    const fault: Fault = ({ asked, headers }) =>
      asked.method === 'server/discover' && headers['user-agent'] === undefined ? { status: 401 } : undefined
    expect(await foundOverHttp(NEW, fault)).toEqual([
      'info incomplete: Not looked at: HTTP, since server/discover is answered with status 401',
    ])
  })

  it('judges nothing by the answers of a server that wants fewer requests', async () => {
    const fault: Fault = ({ headers }) => (headers.origin === undefined ? undefined : { status: 429 })
    expect(await foundOverHttp(NEW, fault)).toEqual([
      'info incomplete: Not looked at: the rest of HTTP, since a request failed: it was answered with status 429',
    ])
  })

  it('sends a login with every request, and it to that server alone', async () => {
    const seen: unknown[] = []
    const url = await serveFaulty(NEW, ({ headers }) => {
      seen.push(headers.authorization)
      return headers.authorization === 'Bearer x' ? undefined : { status: 401 }
    })
    const headers = { Authorization: 'Bearer x' }
    const { findings } = await runChecks(() => connectHttp(url, { headers }), { http: { url, headers } })
    expect(findings).toEqual([])
    expect(new Set(seen)).toEqual(new Set(['Bearer x']))
  })

  it('says that HTTP itself was not looked at without a URL', async () => {
    const url = await serveFaulty(NEW)
    const { findings } = await runChecks(() => connectHttp(url))
    expect(findings.map(({ message }) => message)).toEqual(['Not looked at: HTTP itself, for which the URL has to be given'])
  })
})

describe('runChecks(), over HTTP before 2026-07-28', () => {
  const cases: readonly (readonly [what: string, fault: Fault, findings: readonly string[]])[] = [
    ['a server that does all of it', () => undefined, []],
    [
      'one that looks at no Origin',
      ({ headers }) => (headers.origin === undefined ? undefined : { status: 200, message: PONG }),
      ['error origin-accepted: A request with Origin: http://shelfmark-check.invalid is answered'],
    ],
    [
      'one that answers notifications with status 200',
      ({ asked }) => (asked.method === 'notifications/initialized' ? { status: 200 } : undefined),
      ['error notification-status: A notification is answered with status 200'],
    ],
    [
      'one that takes any version',
      ({ headers }) => (headers['mcp-protocol-version'] === '1900-01-01' ? { status: 200, message: PONG } : undefined),
      ['error version-header: A request with MCP-Protocol-Version: 1900-01-01 is answered with status 200'],
    ],
    [
      'one that knows no GET',
      ({ method }) => (method === 'GET' ? { status: 404 } : undefined),
      ['error get-status: A GET is answered with status 404'],
    ],
    [
      'one that forgets nobody',
      ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined),
      ['error session-ended: A request of a session that is over is answered with status 200'],
    ],
    ['one whose sessions nobody may end', ({ method }) => (method === 'DELETE' ? { status: 405 } : undefined), []],
    [
      'one that refuses requests without a session as unknown ones',
      ({ headers, asked }) => (headers['mcp-session-id'] === undefined && asked.method === 'ping' ? { status: 404 } : undefined),
      ['warning session-missing: A request without its session id is answered with status 404'],
    ],
  ]

  const OLD: Methods = {
    ...LEGACY,
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { resources: {}, completions: {} },
      serverInfo: { name: 'n', version: '1' },
    }),
  }

  it.each(cases)('judges %s', async (_, fault, findings) => {
    expect(await foundOverHttp(OLD, fault)).toEqual(findings)
  })

  it('finds a session id that headers may not carry everywhere', async () => {
    let count = 0
    expect(await foundOverHttp(OLD, undefined, () => `session ${++count}`)).toEqual([
      'error session-id: A session id has a character that is no visible ASCII',
    ])
  })
})
