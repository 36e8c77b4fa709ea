import type { Revision } from '../../protocol/index.ts'

/** `error`: a MUST or the schema is broken. `warning`: a SHOULD, or what the specification says something is. `info`: neither. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing that a server does wrong, or that was not looked at. */
export interface Finding {
  readonly severity: Severity
  /** The rule it breaks (docs/check.md). */
  readonly rule: string
  readonly message: string
  /** The URI, template or method it is about. */
  readonly subject: string
  /** What was seen, as the server sent it; at most 1,000 characters. */
  readonly evidence?: string
  /** The section of the specification that says so, of the revision that is spoken. */
  readonly spec: string
  readonly advice: string
}

/** What a range of revisions says of a rule. */
export interface Citation {
  readonly severity: Severity
  /** Page and heading of the specification, without the revision: `server/resources#error-handling`. */
  readonly section: string
  /** The first revision that says so. Default: the oldest. */
  readonly from?: Revision
  /** The last one. Default: the newest. */
  readonly until?: Revision
}

export interface Rule {
  readonly id: string
  /** What breaks it, as a sentence. */
  readonly says: string
  /** What the author of the server can do. */
  readonly advice: string
  /** At most one is for a revision; a revision without one knows no such rule. */
  readonly cites: readonly Citation[]
}

/** What a revision says of a rule; undefined where it says nothing. */
export function citationOf({ cites }: Rule, revision: Revision): Citation | undefined {
  return cites.find(({ from, until }) => (from ?? '') <= revision && (until === undefined || revision <= until))
}

/** Where to read a section. */
export function specUrl(revision: Revision, section: string): string {
  return `https://modelcontextprotocol.io/specification/${revision}/${section}`
}

/** What is shown of a value at most. */
const LONGEST = 1_000

/** A value as evidence. */
export function evidenceOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text
}
