import { LATEST_LEGACY } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { HttpAnswer, HttpProbe } from '../http-probe.ts'
import type { Report } from '../report.ts'

const MODERN = 'basic/transports/streamable-http#security-%26-endpoint'
const LEGACY = 'basic/transports#security-warning'

const ORIGIN: Rule = {
  id: 'origin-accepted',
  says: 'A server on this machine answers a request whose `Origin` is of a foreign site.',
  advice: 'Refuse origins that you do not know with status 403: any web page can reach a server of this machine.',
  cites: [
    { severity: 'error', section: LEGACY, until: LATEST_LEGACY },
    { severity: 'error', section: MODERN, from: '2026-07-28' },
  ],
}

const ORIGIN_STATUS: Rule = {
  id: 'origin-status',
  says: 'A foreign `Origin` is refused with another status than 403.',
  advice: 'Answer with 403 Forbidden.',
  cites: [
    { severity: 'error', section: LEGACY, from: '2025-11-25', until: '2025-11-25' },
    { severity: 'error', section: MODERN, from: '2026-07-28' },
  ],
}

const ANY_ORIGIN: Rule = {
  id: 'origin-any',
  says: 'A server elsewhere answers a request whose `Origin` is of a foreign site: it may mean to serve every site.',
  advice: 'Refuse origins that you do not mean to serve with status 403.',
  cites: [
    { severity: 'info', section: LEGACY, until: LATEST_LEGACY },
    { severity: 'info', section: MODERN, from: '2026-07-28' },
  ],
}

const HOST: Rule = {
  id: 'host-accepted',
  says: 'A server on this machine answers a request whose `Host` is a foreign name.',
  advice: 'Refuse names other than your own: it is the second guard against DNS rebinding.',
  cites: [
    { severity: 'info', section: LEGACY, until: LATEST_LEGACY },
    { severity: 'info', section: MODERN, from: '2026-07-28' },
  ],
}

export const HTTP_GUARD_RULES: readonly Rule[] = [ORIGIN, ORIGIN_STATUS, ANY_ORIGIN, HOST]

const STRANGER = 'shelfmark-check.invalid'

export const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300

/**
 * Sends what is otherwise answered with a foreign `Origin`, and with a foreign `Host`.
 *
 * @param ask sends the request with these headers more, and ends what it began
 */
export async function checkGuards(
  report: Report,
  http: HttpProbe,
  ask: (headers: Readonly<Record<string, string>>) => Promise<HttpAnswer>,
): Promise<void> {
  const subject = http.url.origin
  const origin = `http://${STRANGER}`
  const answer = await ask({ origin })
  const evidence = { request: { origin }, status: answer.status, message: answer.message }
  if (isOk(answer))
    report.add(http.loopback ? ORIGIN : ANY_ORIGIN, {
      subject,
      message: `A request with Origin: ${origin} is answered`,
      evidence,
    })
  else if (answer.status !== 403)
    report.add(ORIGIN_STATUS, {
      subject,
      message: `A request with Origin: ${origin} is refused with status ${answer.status}`,
      evidence,
    })
  // Elsewhere the name chooses the server.
  if (!http.loopback || http.url.protocol !== 'http:') return
  const host = `${STRANGER}:${http.url.port || '80'}`
  const foreign = await ask({ host })
  if (isOk(foreign))
    report.add(HOST, {
      subject,
      message: `A request with Host: ${host} is answered`,
      evidence: { request: { host }, status: foreign.status, message: foreign.message },
    })
}
