export { within } from './budget.ts'
export { byteLength, bytesIn, mostBytes, partOf, refuseLarger, refuseLargerContents, utf8Length } from './byte-limits.ts'
export { localCall, LOCAL } from './call.ts'
export type { Call, Operation, Principal } from './call.ts'
export type { LibraryWatcher, WatchInterest } from './change-feed.ts'
export { systemClock } from './clock.ts'
export { cutToRange } from './cut-to-range.ts'
export { definePolicy } from './define-policy.ts'
export type { Policy, PolicyHooks, PolicyNext, PolicyStep } from './define-policy.ts'
export { guarded } from './guarded.ts'
export type { HandlerResult } from './handler-result.ts'
export { LeastRecentlyUsed } from './least-recently-used.ts'
export { createLibrary } from './library.ts'
export type { Library } from './library.ts'
export { covers, isName } from './mounts.ts'
export { topicFilter } from './method-module.ts'
export type {
  Exchange,
  Interest,
  ListenFilter,
  Listing,
  Method,
  MethodModule,
  ModuleSignals,
  Outcome,
  Piece,
  PiecesOutcome,
  RefCompleter,
  RefCompletion,
  ResultOutcome,
} from './method-module.ts'
export type {
  Completer,
  CompleterContext,
  CompleterResult,
  Enumeration,
  EnumerationItem,
  LibraryOptions,
  MountOptions,
  ResourceHandler,
  ResourceOptions,
  TemplateHandler,
  TemplateOptions,
} from './options.ts'
export { access } from './policies/access.ts'
export type { AccessDecision, AccessOptions, AccessPolicy } from './policies/access.ts'
export type { AccessOperation, AccessRule } from './policies/access-rule.ts'
export type { AccessFacts, AccessWho } from './policies/access-who.ts'
export { pageOf } from './page.ts'
export type {
  Answers,
  ByteRange,
  ByteSource,
  Change,
  ChildrenRequest,
  CompleteRequest,
  Completion,
  Contents,
  InputRequired,
  Notice,
  Page,
  PageRequest,
  Position,
  Provider,
  Reading,
  ReadRequest,
  ReadResult,
  Stat,
  Unchanged,
  UriRequest,
  Watcher,
} from './provider.ts'
export type { ReadContext } from './read-context.ts'
export { audit } from './policies/audit.ts'
export type { Audit, AuditDecision, AuditOptions, AuditSink } from './policies/audit.ts'
export { cache } from './policies/cache.ts'
export type { CacheOptions } from './policies/cache.ts'
export { concurrency } from './policies/concurrency.ts'
export type { ConcurrencyOptions } from './policies/concurrency.ts'
export { deadline } from './policies/deadline.ts'
export type { DeadlineOptions } from './policies/deadline.ts'
export { LONGEST_MS, requireCount, requireLimit } from './policies/limit-option.ts'
export { limits } from './policies/limits.ts'
export type { LimitsOptions } from './policies/limits.ts'
export { principalKey } from './policies/principal-key.ts'
export { rate } from './policies/rate.ts'
export type { RateOptions } from './policies/rate.ts'
export { redact } from './policies/redact.ts'
export type { Redaction, RedactOptions } from './policies/redact.ts'
export type { SecretName, SecretPattern } from './policies/secret-kinds.ts'
export { Register } from './register.ts'
export type { Registered } from './register.ts'
export { strictest } from './resource-face.ts'
export { settleable } from './settleable.ts'
export type { Settleable } from './settleable.ts'
export { SharedWork } from './shared-work.ts'
export { heedless } from './heedless.ts'
export { letGo } from './let-go.ts'
export { linkedSignal } from './linked-signal.ts'
export { withSignal } from './with-signal.ts'
export { gaveUp, unlessAborted } from './unless-aborted.ts'
export { wholeBytes } from './whole-bytes.ts'
