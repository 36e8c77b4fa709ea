import { getHeapStatistics } from 'node:v8'
import type { ZodType } from 'zod'
import type { AccessDecision, AccessPolicy, AccessRule, AuditSink, ConcurrencyOptions, Policy } from '../../library/index.ts'
import type { CacheOptions, DeadlineOptions, LimitsOptions, Operation, RateOptions, RedactOptions } from '../../library/index.ts'
import { access, audit, cache, concurrency, deadline, limits, rate, redact } from '../../library/index.ts'
import type { AuditFileOptions } from '../../runtime/audit-file.ts'
import type { Kinds } from '../config/kinds.ts'

/** What policies are made with beside their settings. */
export interface PolicyContext {
  /** Where lines of the audit go. */
  readonly sink: AuditSink
  readonly onDecision: (decision: AccessDecision) => void
}

/** Who may ask. */
export interface Callers {
  /** Any number of clients, side by side. */
  readonly overHttp: boolean
  /** They are told apart; else everybody is the local user. */
  readonly identified: boolean
}

/** A policy as it is set in a file. Its settings are plain values: when they change, so does it. */
interface Row<T> {
  /** Its key in the file. */
  readonly name: string
  /** What it is set to where nothing is said; undefined for no such policy. In a file `false` takes it away. */
  usual?(callers: Callers): T | undefined
  /** Whether a mount may have one of its own; some are of mounts alone. */
  readonly ofMounts: boolean
  readonly ofMountsAlone?: true
  schema(kinds: Kinds): ZodType<T>
  /** @throws ShelfError saying what is wrong with the settings */
  open(settings: T, context: PolicyContext): Policy
  /** The settings as they are told to people, where they may hold secrets. */
  told?(settings: T): unknown
  /** Other settings for one that is in use. Without it, another policy takes its place for later requests. */
  replace?(policy: Policy, settings: T): void
}

export type PolicyRow = Row<unknown>

/** Settings of policies by name; `false` for none. */
export type PolicySettings = Readonly<Record<string, unknown>>

export interface AuditSettings extends Pick<AuditFileOptions, 'maxBytes' | 'files'> {
  readonly file: string
  readonly queryValues?: boolean
}

const AUDIT: Row<AuditSettings> = {
  name: 'audit',
  ofMounts: false,
  schema: ({ object, optional, path, size, count, flag, written }) =>
    written(
      object({ file: path(), maxBytes: optional(size()), files: optional(count()), queryValues: optional(flag()) }),
      (value) => (typeof value === 'string' ? { file: value } : value),
    ),
  open: ({ queryValues = false }, { sink }) => audit({ sink, queryValues }),
}

const RATE: Row<RateOptions> = {
  name: 'rate',
  // The local user may make any number of requests.
  usual: ({ identified }) => (identified ? {} : undefined),
  ofMounts: true,
  schema: ({ object, optional, amount, count }) =>
    object({
      perSecond: optional(amount()),
      burst: optional(amount()),
      completionsPerSecond: optional(amount()),
      principals: optional(count()),
    }),
  open: (settings) => rate(settings),
}

const CONCURRENCY: Row<ConcurrencyOptions> = {
  name: 'concurrency',
  // One client on stdio has 64 requests under way as it is (`requestsPerPeer`).
  usual: ({ overHttp }) => (overHttp ? suitedConcurrency() : undefined),
  ofMounts: true,
  schema: ({ object, optional, count, duration, taken }) =>
    taken(
      object({
        perPrincipal: optional(count()),
        total: optional(count()),
        queue: optional(count(0)),
        wait: optional(duration()),
      }),
      ({ wait, ...rest }) => ({ ...rest, ...(wait !== undefined && { waitMs: wait }) }),
    ),
  open: (settings) => concurrency(settings),
}

/** What one read may take of the heap: 5 MiB as bytes, as text, and as the JSON around it, which may be twice as long. */
const HEAP_A_READ = 32 * 1024 * 1024

/** As many operations as there is memory for, where that is little. */
function suitedConcurrency(): ConcurrencyOptions {
  const total = Math.max(4, Math.floor(getHeapStatistics().heap_size_limit / HEAP_A_READ))
  return total < 64 ? { total } : {}
}

const OPERATIONS = [
  'list',
  'templates',
  'read',
  'stat',
  'children',
  'complete',
  'subscribe',
] as const satisfies readonly Operation[]

const ACCESS: Row<readonly AccessRule[]> = {
  name: 'access',
  ofMounts: false,
  schema: ({ object, optional, some, text, any, list, taken }) => {
    const rule = object({
      name: optional(text()),
      allow: optional(some(text())),
      deny: optional(some(text())),
      who: optional(any()),
      operations: optional(list(text())),
    })
    return list(
      taken(rule, (value) => {
        const one = value as AccessRule
        access({ rules: [one] })
        return one
      }),
    )
  },
  open: (rules, { onDecision }) => access({ rules, onDecision }),
  replace: (policy, rules) => (policy as AccessPolicy).replace(rules),
}

const DEADLINE: Row<DeadlineOptions> = {
  name: 'deadline',
  usual: () => ({}),
  ofMounts: true,
  schema: ({ object, optional, duration, some, oneOf, taken, written }) =>
    written(
      taken(object({ after: optional(duration()), operations: optional(some(oneOf(OPERATIONS))) }), ({ after, ...rest }) => ({
        ...rest,
        ...(after !== undefined && { ms: after }),
      })),
      (value) => (typeof value === 'string' || typeof value === 'number' ? { after: value } : value),
    ),
  open: (settings) => deadline(settings),
}

const REDACT: Row<RedactOptions> = {
  name: 'redact',
  ofMounts: true,
  schema: ({ object, optional, list, text, size, some, count, taken, written }) => {
    const pattern = object({
      name: text(),
      text: optional(some(text())),
      prefix: optional(some(text())),
      characters: optional(text()),
      atLeast: optional(count()),
    })
    const own = taken(pattern, (value) => {
      const one = value as NonNullable<RedactOptions['patterns']>[number]
      redact({ known: [], patterns: [one] })
      return one
    })
    const known = taken(text(), (value) => {
      const one = value as NonNullable<RedactOptions['known']>[number]
      redact({ known: [one] })
      return one
    })
    return written(object({ known: optional(list(known)), patterns: optional(list(own)), maxBytes: optional(size()) }), (value) =>
      value === true ? {} : value,
    )
  },
  open: (settings) => redact(settings),
  // The text of a pattern is what nobody may see.
  told: ({ patterns, ...rest }) => ({ ...rest, ...(patterns !== undefined && { patterns: patterns.map(({ name }) => name) }) }),
}

const CACHE: Row<CacheOptions> = {
  name: 'cache',
  ofMounts: true,
  schema: ({ object, optional, size, duration, flag, taken, written }) =>
    written(
      taken(
        object({
          ttl: optional(duration()),
          notFound: optional(duration()),
          maxBytes: optional(size()),
          untilChanged: optional(flag()),
        }),
        ({ ttl, notFound, ...rest }) => ({
          ...rest,
          ...(ttl !== undefined && { ttlMs: ttl }),
          ...(notFound !== undefined && { notFoundMs: notFound }),
        }),
      ),
      (value) => (typeof value === 'string' || typeof value === 'number' ? { ttl: value } : value),
    ),
  open: (settings) => cache(settings),
}

const LIMITS: Row<LimitsOptions> = {
  name: 'limits',
  ofMounts: true,
  // The server has those of the Engine under this name.
  ofMountsAlone: true,
  schema: ({ object, optional, size, count }) =>
    object({
      maxRead: optional(size()),
      contents: optional(count()),
      items: optional(count()),
      depth: optional(count(0)),
      values: optional(count()),
      text: optional(count()),
    }),
  open: (settings) => limits(settings),
}

/** All policies, the outermost first (docs/policies.md). */
const ALL: readonly PolicyRow[] = [AUDIT, RATE, CONCURRENCY, ACCESS, DEADLINE, REDACT, CACHE, LIMITS]

/** Those of a server. */
export const POLICIES: readonly PolicyRow[] = ALL.filter(({ ofMountsAlone }) => ofMountsAlone !== true)

/** What a policy is set to; undefined for one that is not used. */
export function settingsOf(row: PolicyRow, policies: PolicySettings, callers: Callers): unknown {
  const settings = policies[row.name] ?? row.usual?.(callers)
  return settings === false ? undefined : settings
}

/** The settings of a policy for people. */
export function toldOf(row: PolicyRow, settings: unknown): unknown {
  return settings === false ? settings : (row.told?.(settings) ?? settings)
}

/** The policies of one mount round its provider. */
export const MOUNT_POLICIES: readonly PolicyRow[] = ALL.filter(({ ofMounts }) => ofMounts)
