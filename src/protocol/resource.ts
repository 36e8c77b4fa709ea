import type { UncheckedObject } from './json.ts'

/** Free-form metadata under keys `prefix/name` (basic/index, `_meta`). Unknown keys are kept. */
export type Meta = UncheckedObject

/** Who a resource is for, how much it matters, when it changed (server/resources, Annotations). */
export interface Annotations {
  /** `user`, `assistant` or both. */
  readonly audience?: readonly ('user' | 'assistant')[]
  /** From 0 (optional) to 1 (effectively required). */
  readonly priority?: number
  /** ISO 8601 time of the last change. From 2025-06-18. */
  readonly lastModified?: string
}

/** A picture for user interfaces (basic/index, icons). From 2025-11-25. */
export interface Icon {
  /** `https:` or `data:` URI. */
  readonly src: string
  readonly mimeType?: string
  /** For example `48x48`, or `any` for scalable formats. */
  readonly sizes?: readonly string[]
  readonly theme?: 'light' | 'dark'
}

/** One readable thing (server/resources, Resource). */
export interface Resource {
  readonly uri: string
  /** Defaults to the last segment of the URI. */
  readonly name: string
  /** For people. From 2025-06-18. */
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** Bytes before base64 or tokens. */
  readonly size?: number
  readonly annotations?: Annotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

/** A family of resources with one RFC 6570 template (server/resources, ResourceTemplate). */
export interface ResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Only when all resources of the family share it. */
  readonly mimeType?: string
  readonly annotations?: Annotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

/** Text as it crosses the wire. */
export interface TextContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text: string
  readonly _meta?: Meta
}

/** Bytes as they cross the wire: base64 with padding, no newlines. */
export interface BlobContents {
  readonly uri: string
  readonly mimeType?: string
  readonly blob: string
  readonly _meta?: Meta
}

/** A name and version that a peer says of itself; shown, never trusted. */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

/** How long and by whom a result may be kept (server/utilities/caching). */
export interface CacheHint {
  /** Milliseconds, 0 or more. */
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** MIME type of a resource that has children. */
export const DIRECTORY_TYPE = 'inode/directory'

/** Neither kept nor shared: what holds unless a provider says otherwise. */
export const UNCACHED: CacheHint = { ttlMs: 0, cacheScope: 'private' }
