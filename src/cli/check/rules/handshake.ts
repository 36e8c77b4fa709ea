import { isObject, isStrings, META_SERVER_INFO, PING } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { Probe } from '../probe.ts'
import { envelopeOf } from '../probe.ts'
import { codeOf, said, shownOf } from '../raw-answer.ts'

const OPENING_SHAPE: Rule = {
  id: 'opening-shape',
  says: 'The answer to `initialize` or `server/discover` lacks `capabilities`, `serverInfo` with name and version (legacy), or `supportedVersions` (modern).',
  advice: 'Give all members that the schema requires.',
  cites: [
    { severity: 'error', section: 'basic/lifecycle#initialization', until: '2025-11-25' },
    { severity: 'error', section: 'server/discover#discoverresult', from: '2026-07-28' },
  ],
}

const SERVER_INFO: Rule = {
  id: 'server-info-missing',
  says: 'The answer to `server/discover` does not name the server in `_meta`.',
  advice: 'Put name and version under `io.modelcontextprotocol/serverInfo` in `_meta`.',
  cites: [{ severity: 'warning', section: 'server/discover#discoverresult', from: '2026-07-28' }],
}

const PING_REFUSED: Rule = {
  id: 'ping-refused',
  says: '`ping` is answered with an error.',
  advice: 'Answer `ping` with an empty result.',
  cites: [{ severity: 'error', section: 'basic/utilities/ping#behavior-requirements', until: '2025-11-25' }],
}

const UNKNOWN_METHOD: Rule = {
  id: 'unknown-method',
  says: 'A method that does not exist is answered with a result, or with another error than -32601.',
  advice: 'Answer methods that you do not have with error -32601.',
  cites: [
    { severity: 'warning', section: 'basic/messages', until: '2024-11-05' },
    { severity: 'warning', section: 'basic/index#messages', from: '2025-03-26', until: '2025-11-25' },
    { severity: 'warning', section: 'basic/index#error-codes', from: '2026-07-28' },
  ],
}

const VERSION_REFUSAL: Rule = {
  id: 'version-refusal',
  says: 'A request of a protocol version that nobody has is not answered with error -32022 that lists the versions there are.',
  advice: 'Answer versions that you do not serve with UnsupportedProtocolVersion and `data.supported`.',
  cites: [{ severity: 'error', section: 'basic/versioning#protocol-version-negotiation', from: '2026-07-28' }],
}

export const HANDSHAKE_RULES: readonly Rule[] = [OPENING_SHAPE, SERVER_INFO, PING_REFUSED, UNKNOWN_METHOD, VERSION_REFUSAL]

/** A method that no revision and no extension has. */
export const NO_METHOD = 'dev.shelfmark.check/no-such-method'
/** A version that there never was. */
export const NO_VERSION = '1900-01-01'

/** How the server opens, and what it says to what it cannot know. */
export async function checkHandshake(probe: Probe): Promise<void> {
  checkOpening(probe)
  const { report, modern } = probe
  if (!modern) {
    const answer = await probe.ask(PING.method)
    if (answer.kind === 'error')
      report.add(PING_REFUSED, { subject: PING.method, message: `ping ${said(answer)}`, evidence: shownOf(answer) })
  }
  const unknown = await probe.ask(NO_METHOD)
  if (unknown.kind === 'result' || (unknown.kind === 'error' && codeOf(unknown) !== -32_601))
    report.add(UNKNOWN_METHOD, {
      subject: NO_METHOD,
      message: `A method that does not exist ${said(unknown)}, not with error -32601`,
      evidence: shownOf(unknown),
    })
  if (modern) await checkVersionRefusal(probe)
}

function checkOpening({ wire, report, modern }: Probe): void {
  if (wire.opening === undefined) return
  const { method, result } = wire.opening
  const missing = modern
    ? [
        ...(isStrings(result['supportedVersions']) ? [] : ['supportedVersions']),
        ...(isObject(result['capabilities']) ? [] : ['capabilities']),
      ]
    : [
        ...(isObject(result['capabilities']) ? [] : ['capabilities']),
        ...(isImplementation(result['serverInfo']) ? [] : ['serverInfo with name and version']),
      ]
  for (const member of missing)
    report.add(OPENING_SHAPE, { subject: method, message: `The answer to ${method} has no ${member}`, evidence: result })
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  if (modern && !isImplementation(meta[META_SERVER_INFO]))
    report.add(SERVER_INFO, {
      subject: method,
      message: 'The server does not say its name and version',
      evidence: result['_meta'],
    })
}

function isImplementation(value: unknown): boolean {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
}

async function checkVersionRefusal(probe: Probe): Promise<void> {
  // Over HTTP the header has to say the same, which only the checks of HTTP can write.
  if (probe.wire.perRequest) return
  const method = 'resources/list'
  const answer = await probe.askWith(method, { _meta: envelopeOf(NO_VERSION) })
  if (answer.kind !== 'result' && answer.kind !== 'error') return
  if (isVersionRefusal(answer.kind === 'error' ? answer.error : undefined)) return
  probe.report.add(VERSION_REFUSAL, {
    subject: method,
    message: `A request of version ${NO_VERSION} ${said(answer)}, not with error -32022 and data.supported`,
    evidence: shownOf(answer),
  })
}

/** Whether an error is UnsupportedProtocolVersion, with what is supported. */
export function isVersionRefusal(error: unknown): boolean {
  return isObject(error) && error['code'] === -32_022 && isObject(error['data']) && isStrings(error['data']['supported'])
}

export { VERSION_REFUSAL }
