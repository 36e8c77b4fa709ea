export { isObject, isStrings } from './json.ts'
export type { JsonObject, JsonValue, UncheckedObject } from './json.ts'
export { DIRECTORY_TYPE, UNCACHED } from './resource.ts'
export type {
  Annotations,
  BlobContents,
  CacheHint,
  Icon,
  Implementation,
  Meta,
  Resource,
  ResourceTemplate,
  TextContents,
} from './resource.ts'
export { FIRST_MODERN, isLegacy, isRevision, LATEST_LEGACY, MODERN_REVISIONS, REVISIONS } from './revisions.ts'
export type { Era, Revision, RevisionFacts } from './revisions.ts'
export {
  EXTENSION_RESOURCES,
  EXTENSION_SKILLS,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_RANGE,
  META_REDACTED,
  META_RESOURCE_VERSION,
  META_SERVER,
  META_SERVER_INFO,
  META_SUBSCRIPTION,
  META_UNCHANGED,
  META_VERSION,
} from './meta-keys.ts'
export type { Clock, Sealer } from './sealer.ts'
export {
  ACKNOWLEDGED,
  CANCELLED,
  COMPLETE,
  DIRECTORY_READ,
  DISCOVER,
  INITIALIZE,
  INITIALIZED,
  isLogLevel,
  LISTEN,
  LOG_LEVELS,
  MESSAGE,
  PING,
  PROGRESS,
  RESOURCE_UPDATED,
  RESOURCES_CHANGED,
  RESOURCES_LIST,
  RESOURCES_READ,
  RESOURCES_STAT,
  RESOURCES_SUBSCRIBE,
  RESOURCES_UNSUBSCRIBE,
  SET_LEVEL,
  SKILLS_GET,
  SKILLS_LIST,
  TEMPLATES_LIST,
  TOOLS_CALL,
  TOOLS_CHANGED,
  TOOLS_LIST,
} from './methods.ts'
export type { LogLevel, MethodDescriptor } from './methods.ts'
export { isRequestId, objectParam, readMessage, stringParam } from './message.ts'
export type { Message, RequestId } from './message.ts'
export { shapeImplementation, shapeItems } from './shape.ts'
export { isInternal, toWireError, WIRE_ERRORS } from './wire-errors.ts'
export type { WireError } from './wire-errors.ts'
