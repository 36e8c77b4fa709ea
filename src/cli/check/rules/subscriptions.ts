import {
  ACKNOWLEDGED,
  isObject,
  isStrings,
  LISTEN,
  META_SUBSCRIPTION,
  RESOURCE_UPDATED,
  RESOURCES_CHANGED,
  RESOURCES_SUBSCRIBE,
  RESOURCES_UNSUBSCRIBE,
} from '../../../protocol/index.ts'
import type { UncheckedObject } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { Probe } from '../probe.ts'
import { codeOf, said, shownOf } from '../raw-answer.ts'
import { isSameUri } from './items.ts'

const NOT_ACKNOWLEDGED: Rule = {
  id: 'listen-not-acknowledged',
  says: '`subscribe` or `listChanged` is declared, and `subscriptions/listen` is answered with an error, ends at once, or is never acknowledged.',
  advice: 'Send `notifications/subscriptions/acknowledged` first on every stream, or do not declare the feature.',
  cites: [{ severity: 'error', section: 'basic/patterns/subscriptions#acknowledgment', from: '2026-07-28' }],
}

const NOT_HONOURED: Rule = {
  id: 'listen-not-honoured',
  says: 'A feature is declared (`subscribe`, `listChanged`), and what is acknowledged leaves it out.',
  advice: 'Acknowledge what is declared, or do not declare it.',
  cites: [{ severity: 'warning', section: 'basic/patterns/subscriptions#acknowledgment', from: '2026-07-28' }],
}

const UNREQUESTED: Rule = {
  id: 'listen-unrequested',
  says: 'A notification comes that was not asked for, or before the acknowledgment.',
  advice: 'Send on a stream what its filter names, after the acknowledgment.',
  cites: [{ severity: 'error', section: 'basic/patterns/subscriptions#opening-a-stream', from: '2026-07-28' }],
}

const WITHOUT_ID: Rule = {
  id: 'subscription-id',
  says: 'A notification of a stream does not carry the id of its request in `_meta`.',
  advice: 'Put the JSON-RPC id of `subscriptions/listen` under `io.modelcontextprotocol/subscriptionId`, with its type.',
  cites: [{ severity: 'error', section: 'basic/patterns/subscriptions#receiving-notifications', from: '2026-07-28' }],
}

const SUBSCRIBE_REFUSED: Rule = {
  id: 'subscribe-refused',
  says: '`subscribe` is declared, and `resources/subscribe` or `resources/unsubscribe` of a listed URI is answered with an error.',
  advice: 'Answer both with an empty result for what is listed, or do not declare `subscribe`.',
  cites: [{ severity: 'warning', section: 'server/resources#subscriptions', until: '2025-11-25' }],
}

export const SUBSCRIPTION_RULES: readonly Rule[] = [NOT_ACKNOWLEDGED, NOT_HONOURED, UNREQUESTED, WITHOUT_ID, SUBSCRIBE_REFUSED]

/** Whether the server does with subscriptions what it declares. What is begun is ended again. */
export async function checkSubscriptions(probe: Probe, uri: string | undefined): Promise<void> {
  const { facts } = probe
  if (!facts.resources || (!facts.subscribe && !facts.listChanged)) return
  if (probe.modern) await checkListen(probe, uri)
  else if (facts.subscribe && uri !== undefined) await checkSubscribe(probe, uri)
}

async function checkSubscribe(probe: Probe, uri: string): Promise<void> {
  const { report } = probe
  for (const { method } of [RESOURCES_SUBSCRIBE, RESOURCES_UNSUBSCRIBE]) {
    const answer = await probe.ask(method, { uri })
    // A limit or a login of the server's own is no broken promise.
    if (answer.kind === 'error' && (codeOf(answer) ?? 0) <= 0)
      report.add(SUBSCRIBE_REFUSED, {
        subject: uri,
        message: `The server declares subscribe, and ${method} of a listed URI ${said(answer)}`,
        evidence: shownOf(answer),
      })
  }
}

/** A notification of the stream, or one that says it is of none. */
interface Heard {
  readonly method: string
  readonly params: UncheckedObject
}

async function checkListen(probe: Probe, uri: string | undefined): Promise<void> {
  const { facts, wire, limits, report, signal } = probe
  const filter = {
    ...(facts.listChanged && { resourcesListChanged: true }),
    ...(facts.subscribe && uri !== undefined && { resourceSubscriptions: [uri] }),
  }
  if (Object.keys(filter).length === 0) return
  const { method } = LISTEN
  const heard: Heard[] = []
  let acknowledged!: () => void
  const first = new Promise<void>((resolve) => {
    acknowledged = resolve
  })
  const stop = wire.listen((name, params) => {
    if (name !== ACKNOWLEDGED.method && name !== RESOURCES_CHANGED.method && name !== RESOURCE_UPDATED.method) return
    heard.push({ method: name, params })
    if (name === ACKNOWLEDGED.method) acknowledged()
  })
  const end = new AbortController()
  const { id, answer } = wire.call(method, probe.params({ notifications: filter }), {
    timeoutMs: limits.listenMs,
    signal: AbortSignal.any([signal, end.signal]),
    cancelByStream: probe.cancelsByStream,
  })
  const early = await Promise.race([answer, first.then(() => undefined)])
  end.abort()
  stop()
  if (probe.over) return
  if (!heard.some(({ method: name }) => name === ACKNOWLEDGED.method)) {
    if (early?.kind === 'error' && (codeOf(early) ?? 0) > 0) return
    return report.add(NOT_ACKNOWLEDGED, {
      subject: method,
      message: `The server declares ${Object.keys(filter).length > 1 ? 'subscribe and listChanged' : facts.listChanged ? 'listChanged' : 'subscribe'}, and ${method} ${early === undefined ? 'is not acknowledged' : said(early)}`,
      evidence: early === undefined ? undefined : shownOf(early),
    })
  }
  judge(probe, filter, id, heard)
}

function judge(
  { report }: Probe,
  filter: { readonly resourcesListChanged?: boolean; readonly resourceSubscriptions?: readonly string[] },
  id: number,
  heard: readonly Heard[],
): void {
  const at = heard.findIndex(({ method }) => method === ACKNOWLEDGED.method)
  for (const [index, { method, params }] of heard.entries()) {
    const meta = isObject(params['_meta']) ? params['_meta'] : {}
    if (meta[META_SUBSCRIPTION] !== id)
      report.add(WITHOUT_ID, { subject: method, message: `${method} does not carry the id of its stream`, evidence: params })
    if (index < at)
      report.add(UNREQUESTED, { subject: method, message: `${method} comes before the acknowledgment`, evidence: params })
  }
  const { params } = heard[at]!
  const agreed = isObject(params['notifications']) ? params['notifications'] : {}
  if (filter.resourcesListChanged === true && agreed['resourcesListChanged'] !== true)
    report.add(NOT_HONOURED, {
      subject: LISTEN.method,
      message: 'listChanged is declared, and not acknowledged',
      evidence: agreed,
    })
  const uri = filter.resourceSubscriptions?.[0]
  const uris = isStrings(agreed['resourceSubscriptions']) ? agreed['resourceSubscriptions'] : []
  if (uri !== undefined && !uris.some((one) => isSameUri(one, uri)))
    report.add(NOT_HONOURED, {
      subject: uri,
      message: 'subscribe is declared, and a listed URI is not acknowledged',
      evidence: agreed,
    })
  for (const name of ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const) {
    if (agreed[name] === true && filter[name as 'resourcesListChanged'] !== true)
      report.add(UNREQUESTED, {
        subject: LISTEN.method,
        message: `${name} is acknowledged and was not asked for`,
        evidence: agreed,
      })
  }
}
