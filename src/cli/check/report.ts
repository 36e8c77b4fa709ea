import type { Revision } from '../../protocol/index.ts'
import type { Finding, Rule, Severity } from './finding.ts'
import { citationOf, evidenceOf, specUrl } from './finding.ts'

/** What is found of one rule in full; more is counted. */
const MOST_OF_ONE = 10

/** A URI as long as this is told in full. */
const LONGEST_SUBJECT = 8_192

export interface Found {
  /** URI, template or method. */
  readonly subject: string
  readonly message: string
  readonly evidence?: unknown
}

const ORDER: readonly Severity[] = ['error', 'warning', 'info']

/** What was found so far, judged by the revision that is spoken. */
export class Report {
  readonly #revision: Revision
  readonly #found = new Map<Rule, Finding[]>()
  readonly #more = new Map<Rule, number>()

  constructor(revision: Revision) {
    this.#revision = revision
  }

  /** Notes a fault; of a rule that this revision does not have, nothing. The same message of the same subject counts once. */
  add(rule: Rule, { subject: whole, message, evidence }: Found): void {
    const subject = whole.slice(0, LONGEST_SUBJECT)
    const citation = citationOf(rule, this.#revision)
    if (citation === undefined) return
    const found = this.#found.get(rule) ?? []
    this.#found.set(rule, found)
    if (found.some((one) => one.subject === subject && one.message === message)) return
    if (found.length >= MOST_OF_ONE) {
      this.#more.set(rule, (this.#more.get(rule) ?? 0) + 1)
      return
    }
    found.push({
      severity: citation.severity,
      rule: rule.id,
      message,
      subject,
      ...(evidence !== undefined && { evidence: evidenceOf(evidence) }),
      spec: specUrl(this.#revision, citation.section),
      advice: rule.advice,
    })
  }

  /** Errors first; within a severity in the order in which they were found. */
  get findings(): readonly Finding[] {
    const all = [...this.#found].flatMap(([rule, found]) => [...found, ...this.#rest(rule, found.at(-1))])
    return ORDER.flatMap((severity) => all.filter((one) => one.severity === severity))
  }

  #rest(rule: Rule, last: Finding | undefined): readonly Finding[] {
    const more = this.#more.get(rule)
    if (more === undefined || last === undefined) return []
    const { evidence: _, ...rest } = last
    return [{ ...rest, subject: '', message: `and ${more} more like these` }]
  }
}
