import type { Notice } from '../library/index.ts'
import type { CacheHint } from '../protocol/index.ts'
import type { ReadContents } from './contents.ts'

/** What a read gave. Treat it as read-only: others may get the same from the cache. */
export interface ClientReading {
  readonly kind: 'contents'
  /** As they came: several are children of what was read, or the same in several types (see `pickContents`). */
  readonly contents: readonly ReadContents[]
  /** Changes whenever the contents do, if the server has versions; of a part, that of the whole. */
  readonly version?: string
  /** The part that was given, in bytes, when one was asked for. */
  readonly range?: { readonly offset: number; readonly length: number; readonly total: number }
  readonly hint: CacheHint
  /** Whether it is from the cache, too old, because the server could not be asked. */
  readonly stale: boolean
  readonly notices: readonly Notice[]
}

/** The version that the caller holds is the current one. */
export interface ClientUnchanged {
  readonly kind: 'unchanged'
  readonly version: string
}
