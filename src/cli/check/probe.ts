import { setTimeout } from 'node:timers/promises'
import type { Client, ServerFacts } from '../../client/index.ts'
import type { UncheckedObject } from '../../protocol/index.ts'
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_VERSION } from '../../protocol/index.ts'
import { VERSION } from '../version.ts'
import type { HttpProbe } from './http-probe.ts'
import type { Report } from './report.ts'
import { checkAnswer } from './rules/answers.ts'
import type { RawAnswer } from './raw-answer.ts'
import type { Wire } from './wire.ts'

export interface ProbeLimits {
  /** How many listed resources are read; `Infinity` for all. */
  readonly sample: number
  /** How many pages of a list are read. */
  readonly pages: number
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs: number
  /** How long the server may take to begin what it sends by itself, in milliseconds. */
  readonly listenMs: number
}

export interface ProbeOptions {
  readonly client: Client
  readonly wire: Wire
  readonly facts: ServerFacts
  readonly report: Report
  readonly limits: ProbeLimits
  /** Ends when the time is over. */
  readonly signal: AbortSignal
  /** For a server over HTTP: what goes there beside the connection. */
  readonly http: HttpProbe | undefined
  /** Told how far the work is. */
  readonly tell: (text: string) => void
}

/** What an ask is about, beside its method. */
export interface AskAbout {
  /** The URI or template. Default: the method. */
  readonly subject?: string
  /** Instead of the limit of every request. */
  readonly timeoutMs?: number
}

/** How long it is tried to connect again. */
const RECONNECT_MS = 10_000
const PAUSE_MS = 200

/** A server as its words come: every request is answered by what it said, whatever that is. */
export class Probe {
  readonly facts: ServerFacts
  readonly report: Report
  readonly wire: Wire
  readonly limits: ProbeLimits
  readonly signal: AbortSignal
  readonly http: HttpProbe | undefined
  /** Listed URIs, for what needs one that is there. */
  readonly known = new Set<string>()
  /** What was not looked at, and why. */
  readonly skipped: string[] = []
  readonly tell: (text: string) => void
  readonly #client: Client
  #gone = false

  constructor({ client, wire, facts, report, limits, signal, http, tell }: ProbeOptions) {
    this.#client = client
    this.wire = wire
    this.facts = facts
    this.report = report
    this.limits = limits
    this.signal = signal
    this.http = http
    this.tell = tell
  }

  get modern(): boolean {
    return this.facts.era === 'modern'
  }

  /** Whether nothing can be asked any more. */
  get over(): boolean {
    return this.why !== undefined
  }

  /** Why nothing can be asked any more. */
  get why(): string | undefined {
    if (this.#gone) return 'the connection was lost and cannot be made again'
    return this.signal.aborted ? 'the time was over' : undefined
  }

  /** What every request of this era carries, with parameters of its own. */
  params(own: UncheckedObject): UncheckedObject {
    if (!this.modern) return own
    return { ...own, _meta: envelopeOf(this.facts.revision) }
  }

  /** Asks as a client of this era does. An answer that breaks the rules for all answers is reported. */
  async ask(method: string, own: UncheckedObject = {}, about: AskAbout = {}): Promise<RawAnswer> {
    return this.askWith(method, this.params(own), about)
  }

  /** The same with these parameters as they are. */
  async askWith(method: string, params: UncheckedObject, about: AskAbout = {}): Promise<RawAnswer> {
    const { subject = method, timeoutMs = this.limits.timeoutMs } = about
    await this.#connected()
    const answer = await this.wire.request(method, Object.keys(params).length > 0 ? params : undefined, {
      timeoutMs,
      signal: this.signal,
      cancelByStream: this.cancelsByStream,
      subject,
    })
    if (!this.over) checkAnswer(this, { method, subject, answer })
    return answer
  }

  get cancelsByStream(): boolean {
    return this.modern && this.wire.perRequest
  }

  /** Makes the connection again if the last answer ended it; a client waits between attempts. */
  async #connected(): Promise<void> {
    const { signal } = this
    const until = performance.now() + RECONNECT_MS
    for (;;) {
      const connected = await this.#client.server({ signal }).then(
        () => true,
        () => false,
      )
      if (connected || signal.aborted) return
      if (performance.now() > until) break
      await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined)
    }
    this.#gone = true
  }
}

/** The `_meta` of a modern request, of any version. */
export function envelopeOf(version: string): UncheckedObject {
  return {
    [META_VERSION]: version,
    [META_CLIENT_INFO]: { name: 'shelfmark', version: VERSION },
    [META_CLIENT_CAPABILITIES]: {},
  }
}
