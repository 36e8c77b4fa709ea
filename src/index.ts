export { notFound, ShelfError } from './errors.ts'
export type { ErrorCode, ErrorDetails } from './errors.ts'
export { createLibrary, definePolicy, localCall, topicFilter } from './library/index.ts'
export type {
  Call,
  Change,
  Contents,
  Exchange,
  Library,
  LibraryOptions,
  MethodModule,
  Operation,
  Page,
  PageRequest,
  Policy,
  PolicyHooks,
  Principal,
  Provider,
  Reading,
  ReadRequest,
  ReadResult,
  ResourceHandler,
  ResourceOptions,
  TemplateHandler,
  TemplateOptions,
} from './library/index.ts'
export type { Resource, ResourceTemplate } from './protocol/index.ts'
