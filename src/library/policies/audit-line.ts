import type { Operation, Principal } from '../call.ts'
import type { Fitted } from './audit-uri.ts'
import { fitted } from './audit-uri.ts'

/** What one line says. */
export interface AuditRecord {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly principal: Principal
  readonly operation: Operation
  readonly uri?: Fitted | undefined
  readonly outcome: string
  readonly ms?: number
  readonly bytes?: number | undefined
  readonly reason?: string | undefined
}

/**
 * A record as one line of JSON. Nothing in it ends a line or moves a cursor: control characters, line and paragraph
 * separators, bidirectional marks and lone surrogates are escapes, whoever looks at the file with whatever.
 */
export function formatAuditRecord(record: AuditRecord): string {
  const { time, principal, operation, uri, outcome, ms, bytes, reason } = record
  const { text: id } = fitted(principal.id)
  let line = `{"time":"${isoTime(time)}","principal":${quoted(id)},"kind":"${principal.kind}","operation":"${operation}"`
  if (uri !== undefined) line += `,"uri":${quoted(uri.text)}`
  if (uri?.cut) line += ',"cut":true'
  line += `,"outcome":${quoted(outcome)}`
  if (ms !== undefined) line += `,"ms":${Math.round(ms * 1000) / 1000}`
  if (bytes !== undefined) line += `,"bytes":${bytes}`
  if (reason !== undefined) line += `,"reason":${quoted(fitted(reason).text)}`
  return `${line}}`
}

/** What JSON leaves as it is, and terminals, editors or readers of lines do not. */
// oxlint-disable-next-line no-control-regex -- naming them is the point
const HARMFUL = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]/g

/** Printable ASCII without what JSON escapes: what nearly all texts are, and quick to tell. */
const PLAIN = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  return JSON.stringify(text).replace(HARMFUL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

let lastMs = Number.NaN
let lastIso = ''

/** Many records have the time of the one before. */
function isoTime(ms: number): string {
  const whole = Math.floor(ms)
  if (whole !== lastMs) {
    lastMs = whole
    lastIso = new Date(whole).toISOString()
  }
  return lastIso
}
