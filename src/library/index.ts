export { byteLength, mostBytes, partOf, refuseLarger, refuseLargerContents, utf8Length } from './byte-limits.ts'
export { localCall, LOCAL } from './call.ts'
export type { Call, Operation, Principal } from './call.ts'
export { definePolicy } from './define-policy.ts'
export type { Policy, PolicyHooks, PolicyStep } from './define-policy.ts'
export type { HandlerResult } from './handler-result.ts'
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
export { Register } from './register.ts'
export type { Registered } from './register.ts'
