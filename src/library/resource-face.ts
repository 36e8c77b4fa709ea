import type { CacheHint } from '../protocol/index.ts'
import type { Reading, ReadResult } from './provider.ts'

/** The last segment of a URI's path, decoded if it can be: the name of an item that has none. */
export function lastSegment(uri: string): string {
  const head = uri.split(/[?#]/, 1)[0] ?? uri
  const piece = head.split(/[/:]/).findLast((part) => part !== '') ?? uri
  try {
    return decodeURIComponent(piece)
  } catch {
    return piece
  }
}

/** A read with a cache hint, unless it has one of its own. */
export function withHint(result: ReadResult, hint: CacheHint | undefined): ReadResult {
  return hint === undefined || result.kind !== 'contents' || result.hint !== undefined ? result : amended(result, { hint })
}

/** A Reading with other members; disposing it disposes the one that it was made from. */
export function amended(reading: Reading, members: Partial<Reading>): Reading {
  const dispose = reading[Symbol.asyncDispose]
  return { ...reading, ...members, ...(dispose && { [Symbol.asyncDispose]: () => dispose.call(reading) }) }
}

/** The stricter of two hints: the shorter time, private before public. */
export function strictest(a: CacheHint, b: CacheHint): CacheHint {
  return {
    ttlMs: Math.min(a.ttlMs, b.ttlMs),
    cacheScope: a.cacheScope === 'public' && b.cacheScope === 'public' ? 'public' : 'private',
  }
}

/** The hint without leave to share what was answered to one caller. */
export function privately(hint: CacheHint): CacheHint {
  return hint.cacheScope === 'private' ? hint : { ...hint, cacheScope: 'private' }
}
