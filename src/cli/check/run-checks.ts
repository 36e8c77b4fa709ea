import type { Connect } from '../../client/index.ts'
import { openClient } from '../../client/index.ts'
import { ShelfError } from '../../errors.ts'
import type { Era, Revision } from '../../protocol/index.ts'
import { VERSION } from '../version.ts'
import type { Finding, Rule } from './finding.ts'
import { HttpProbe } from './http-probe.ts'
import type { Lists } from './listed.ts'
import type { ProbeLimits } from './probe.ts'
import { Probe } from './probe.ts'
import { Report } from './report.ts'
import { checkAbsent } from './rules/absent.ts'
import { checkAdvertised } from './rules/advertised.ts'
import { checkHints } from './rules/caching.ts'
import { checkFrames } from './rules/frames.ts'
import { checkHandshake } from './rules/handshake.ts'
import { checkHttpLegacy } from './rules/http-legacy.ts'
import { checkHttpModern } from './rules/http-modern.ts'
import { checkLists } from './rules/lists.ts'
import { checkReading } from './rules/reading.ts'
import { checkSubscriptions } from './rules/subscriptions.ts'
import { checkTemplates } from './rules/templates.ts'
import { Wire } from './wire.ts'

export interface CheckOptions {
  /** How many listed resources are read, spread over the list; `Infinity` for all. Default 50. */
  readonly sample?: number
  /** How long all of it may take once there is a connection, in milliseconds. Default 60,000. */
  readonly deadlineMs?: number
  /** How long one request may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** How long a stream may take to be acknowledged, in milliseconds. Default 10,000. */
  readonly listenMs?: number
  /** The era to speak. Default: the modern one, if the server has it. */
  readonly era?: Era
  /** For a server over HTTP: its URL, and the headers of every request. */
  readonly http?: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  readonly signal?: AbortSignal
  /** Told how far the work is. */
  readonly onProgress?: (text: string) => void
}

/** What a server says of itself. */
export interface CheckedServer {
  readonly name?: string
  readonly version?: string
  /** The revision it was judged by. */
  readonly revision: Revision
  readonly era: Era
}

export interface CheckResult {
  readonly server: CheckedServer
  /** Errors first. */
  readonly findings: readonly Finding[]
}

const INCOMPLETE: Rule = {
  id: 'incomplete',
  says: 'Something was not looked at: limits, or the time.',
  advice: 'Give more time with --deadline, or look at more with --sample or --all.',
  cites: [{ severity: 'info', section: 'server/resources' }],
}

export const RUN_RULES: readonly Rule[] = [INCOMPLETE]

/** Pages of a list that are read. */
const MOST_PAGES = 64

/**
 * Looks at a server, and says what it does wrong by the revision that is spoken with it. Only reads: no tool is called,
 * and what is subscribed to is ended again.
 *
 * @throws ShelfError where no connection can be made
 */
export async function runChecks(connect: Connect, options: CheckOptions = {}): Promise<CheckResult> {
  const { deadlineMs = 60_000, timeoutMs = 10_000, listenMs = 10_000, sample = 50, era, onProgress } = options
  const wire = new Wire()
  const client = openClient(wire.over(connect), {
    info: { name: 'shelfmark', version: VERSION },
    cache: false,
    ...(era !== undefined && { era }),
  })
  try {
    const facts = await client.server(options.signal === undefined ? {} : { signal: options.signal })
    const time = AbortSignal.timeout(deadlineMs)
    const signal = options.signal === undefined ? time : AbortSignal.any([time, options.signal])
    const report = new Report(facts.revision)
    const { url, headers } = options.http ?? {}
    const http = url === undefined ? undefined : new HttpProbe(url, headers ?? {}, timeoutMs)
    const limits: ProbeLimits = { sample, pages: MOST_PAGES, timeoutMs, listenMs }
    const probe = new Probe({ client, wire, facts, report, limits, signal, http, tell: (text) => onProgress?.(text) })
    await runAll(probe)
    options.signal?.throwIfAborted()
    const { implementation, revision } = facts
    const named = implementation === undefined ? {} : { name: implementation.name, version: implementation.version }
    return { server: { ...named, revision, era: facts.era }, findings: report.findings }
  } finally {
    await client.close()
  }
}

/** Each idea after the other; what the time does not suffice for is named. */
async function runAll(probe: Probe): Promise<void> {
  let lists: Lists = { resources: [], templates: [] }
  // Web addresses are for clients to fetch themselves.
  const first = (): string | undefined => lists.resources.find(({ uri }) => !/^https?:/i.test(uri))?.uri
  const steps: readonly (readonly [what: string, step: () => Promise<void>])[] = [
    ['the opening', () => checkOpeningAnd(probe)],
    ['the lists', async () => void (lists = await checkLists(probe))],
    ['what is declared', () => checkAdvertised(probe)],
    ['absent resources', () => checkAbsent(probe, lists)],
    ['subscriptions', () => checkSubscriptions(probe, first())],
    ['HTTP', () => checkHttp(probe, first())],
    ['templates', () => checkTemplates(probe, lists.templates)],
    ['listed resources', () => checkReading(probe, lists.resources)],
  ]
  for (const [what, step] of steps) {
    if (probe.over) {
      probe.skipped.push(`${what}, since ${probe.why}`)
      continue
    }
    probe.tell(`${what} ...`)
    await step()
  }
  checkFrames(probe)
  for (const what of probe.skipped) probe.report.add(INCOMPLETE, { subject: '', message: `Not looked at: ${what}` })
}

async function checkOpeningAnd(probe: Probe): Promise<void> {
  const { wire, report } = probe
  if (wire.opening !== undefined && probe.modern)
    checkHints(report, wire.opening.method, wire.opening.method, wire.opening.result)
  await checkHandshake(probe)
}

async function checkHttp(probe: Probe, uri: string | undefined): Promise<void> {
  const { http, wire } = probe
  if (http === undefined) {
    if (wire.perRequest) probe.skipped.push('HTTP itself, for which the URL has to be given')
    return
  }
  try {
    await (probe.modern ? checkHttpModern(probe, http, uri) : checkHttpLegacy(probe, http))
  } catch (error) {
    if (!probe.over) probe.skipped.push(`the rest of HTTP, since a request failed: ${ShelfError.from(error).message}`)
  }
}
