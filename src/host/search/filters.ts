import { covers } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { Kind } from '../kinds/index.ts'
import { serverOf } from './held-resource.ts'

/** What a search is narrowed to; what is not given narrows nothing. */
export interface SearchFilters {
  /** The name of a server of a Hub, or of a mounted one. */
  readonly server?: string
  /** Of the URI, without the name of a server before it: `file` has `team+file:///a`, too. In any case. */
  readonly scheme?: string
  readonly kinds?: readonly Kind[]
  /** Who it must be for; what does not say is for both. */
  readonly audience?: 'user' | 'assistant'
  /** The largest, in bytes; what does not say its size is not left out. */
  readonly maxSize?: number
  /** An ISO 8601 time: what was changed then or later, and says so. */
  readonly modifiedAfter?: string
  /** Covers itself and what continues with `/`, `?` or `#`; with `/`, `:` or `+` at its end all that begins with it. */
  readonly prefix?: string
}

/** What is known of a resource to filter it by. */
export interface Filterable {
  readonly resource: Resource
  readonly kind: Kind
}

/** The filters as one question. */
export function filterOf(filters: SearchFilters): (one: Filterable) => boolean {
  const { server, kinds, audience, maxSize, prefix } = filters
  const scheme = filters.scheme?.toLowerCase()
  const since = filters.modifiedAfter === undefined ? undefined : Date.parse(filters.modifiedAfter)
  return ({ resource, kind }) => {
    const { uri, size, annotations } = resource
    if (server !== undefined && serverOf(resource) !== server) return false
    if (scheme !== undefined && schemeOf(uri) !== scheme) return false
    if (kinds !== undefined && !kinds.includes(kind)) return false
    if (audience !== undefined && annotations?.audience?.includes(audience) === false) return false
    if (maxSize !== undefined && size !== undefined && size > maxSize) return false
    if (prefix !== undefined && !covers(prefix, uri)) return false
    // No time at all compares as false.
    return since === undefined || Date.parse(annotations?.lastModified ?? '') >= since
  }
}

/** In lower case, without the names of servers that stand before it. */
function schemeOf(uri: string): string {
  const scheme = uri.slice(0, Math.max(0, uri.indexOf(':')))
  return scheme.slice(scheme.lastIndexOf('+') + 1).toLowerCase()
}
