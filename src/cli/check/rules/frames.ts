import { ShelfError } from '../../../errors.ts'
import { PING } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { Probe } from '../probe.ts'

const NOISE: Rule = {
  id: 'output-noise',
  says: 'A line of standard output is no JSON message.',
  advice: 'Write logs to standard error; a library that prints needs to be told so.',
  cites: [
    { severity: 'error', section: 'basic/transports#stdio', until: '2025-11-25' },
    { severity: 'error', section: 'basic/transports/stdio', from: '2026-07-28' },
  ],
}

const NOT_A_MESSAGE: Rule = {
  id: 'message-shape',
  says: 'A message is not one of JSON-RPC 2.0: an event of a stream that is no JSON, no `jsonrpc: "2.0"`, both of `result` and `error`, or neither method nor answer.',
  advice: 'Write messages with the SDK of your language, or by JSON-RPC 2.0.',
  cites: [
    { severity: 'error', section: 'basic/messages', until: '2024-11-05' },
    { severity: 'error', section: 'basic/index#messages', from: '2025-03-26' },
  ],
}

const SERVER_ASKS: Rule = {
  id: 'server-request',
  says: 'The server sends a request that the client has not declared (legacy, except `ping`), or any request (2026-07-28).',
  advice: 'Look at the capabilities of the client first; since 2026-07-28 questions travel in InputRequiredResult.',
  cites: [
    { severity: 'warning', section: 'basic/lifecycle#operation', until: '2025-03-26' },
    { severity: 'error', section: 'basic/lifecycle#operation', from: '2025-06-18', until: '2025-11-25' },
    { severity: 'error', section: 'basic/transports/stdio#receiving-messages', from: '2026-07-28' },
  ],
}

const STREAM_ASKS: Rule = {
  id: 'stream-request',
  says: 'The server sends a request on a stream of HTTP (2026-07-28).',
  advice: 'Ask in an InputRequiredResult.',
  cites: [{ severity: 'error', section: 'basic/transports/streamable-http#receiving-messages', from: '2026-07-28' }],
}

const OVERSIZED: Rule = {
  id: 'oversized-frame',
  says: 'A message over stdio has more than 10 MiB, or one over HTTP more than 32 MiB.',
  advice: 'Cut lists into pages, and large resources into parts: official clients drop such a connection.',
  cites: [
    { severity: 'info', section: 'basic/transports#stdio', until: '2025-11-25' },
    { severity: 'info', section: 'basic/transports/stdio', from: '2026-07-28' },
  ],
}

export const FRAME_RULES: readonly Rule[] = [NOISE, NOT_A_MESSAGE, SERVER_ASKS, STREAM_ASKS, OVERSIZED]

/** What clients take as one message over stdio, in bytes. */
const MAX_LINE = 10 * 1024 * 1024

/** What the connection saw beside the answers. */
export function checkFrames({ wire, report, modern }: Probe): void {
  const subject = wire.perRequest ? 'HTTP' : 'standard output'
  for (const error of wire.odd) {
    if (ShelfError.is(error, 'parse-error'))
      report.add(wire.perRequest ? NOT_A_MESSAGE : NOISE, { subject, message: error.message })
    if (ShelfError.is(error, 'too-large')) report.add(OVERSIZED, { subject, message: error.message })
  }
  if (!wire.perRequest && wire.largest.bytes > MAX_LINE)
    report.add(OVERSIZED, { subject: wire.largest.subject, message: `A message has ${wire.largest.bytes} bytes` })
  for (const message of wire.malformed)
    report.add(NOT_A_MESSAGE, { subject, message: 'A message is none of JSON-RPC 2.0', evidence: message })
  for (const message of wire.asked) {
    const method = String(message['method'])
    if (method === PING.method && !modern) continue
    report.add(wire.perRequest && modern ? STREAM_ASKS : SERVER_ASKS, {
      subject: method,
      message: `The server asks ${method} of a client that declared nothing`,
      evidence: message,
    })
  }
}
