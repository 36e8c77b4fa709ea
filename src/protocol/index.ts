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
  EXTENSION_SKILLS,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_SERVER_INFO,
  META_SUBSCRIPTION,
  META_VERSION,
} from './meta-keys.ts'
export type { Clock, Sealer } from './sealer.ts'
