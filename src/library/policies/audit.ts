import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import { bytesIn } from '../byte-limits.ts'
import type { Operation, Principal } from '../call.ts'
import { systemClock } from '../clock.ts'
import type { Policy } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import type { ReadResult } from '../provider.ts'
import type { AuditRecord } from './audit-line.ts'
import { formatAuditRecord } from './audit-line.ts'
import type { Fitted } from './audit-uri.ts'
import { auditedUri, fitted } from './audit-uri.ts'

/** Where lines go. */
export interface AuditSink {
  /** Takes one line of JSON, without its end. It returns at once, and keeps its own failures. */
  write(line: string): void
}

export interface AuditOptions {
  readonly sink: AuditSink
  /** Whether the values of a URI's query are written; else each is `*`. Default false. */
  readonly queryValues?: boolean
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

/** What a rule said of one URI. */
export interface AuditDecision {
  readonly principal: Principal
  readonly operation: Operation
  /** The URI, or the text of a template. */
  readonly uri: string
  readonly allowed: boolean
  /** Why, in the words of this side: which rule it was. */
  readonly reason?: string
}

/** The policy, and a way in for decisions that are hidden from it: what is denied answers like what is absent. */
export interface Audit extends Policy {
  /** Writes a line for one decision, with the outcome `allowed` or `denied`. */
  decision(decision: AuditDecision): void
}

/**
 * Writes a line of JSON for every operation, when its answer is there: `time` at which it began, `principal` and its
 * `kind`, `operation`, `uri` or template, `outcome` (`ok`, or the code of the error), `ms` it took, and `bytes` of a read.
 * Never contents, tokens, claims, scopes, what completion was asked for, or values of queries.
 *
 * Use it first, so that it sees what the other policies refuse.
 */
export function audit(options: AuditOptions): Audit {
  const { sink, queryValues = false, clock = systemClock } = options
  const write = (record: AuditRecord): void => {
    try {
      sink.write(formatAuditRecord(record))
    } catch {
      // What cannot be written down does not keep anyone from reading.
    }
  }
  const named = (operation: Operation, uri: string): Fitted =>
    uri.includes('{') && (operation === 'complete' || operation === 'templates') ? fitted(uri) : auditedUri(uri, queryValues)
  const policy = definePolicy({
    name: 'audit',
    around: async ({ operation, uri }, { principal }, next) => {
      const time = clock.wall()
      const begun = clock.monotonic()
      const end = (outcome: string, bytes?: number): void => {
        const ms = clock.monotonic() - begun
        write({ time, principal, operation, uri: uri === undefined ? uri : named(operation, uri), outcome, ms, bytes })
      }
      try {
        const result = await next()
        end('ok', operation === 'read' ? bytesOf(result as ReadResult) : undefined)
        return result
      } catch (error) {
        end(ShelfError.from(error).code)
        throw error
      }
    },
  })
  return Object.assign(policy, {
    decision: ({ principal, operation, uri, allowed, reason }: AuditDecision): void =>
      write({
        time: clock.wall(),
        principal,
        operation,
        uri: named(operation, uri),
        outcome: allowed ? 'allowed' : 'denied',
        reason,
      }),
  })
}

/** How many bytes a read gives, unless its provider does not know. */
function bytesOf(result: ReadResult): number | undefined {
  if (result.kind !== 'contents') return undefined
  try {
    return bytesIn(result.contents)
  } catch {
    return undefined
  }
}
