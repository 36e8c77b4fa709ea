import { canonicalUri } from './normal-form.ts'
import { schemeEnd } from './uri-characters.ts'

/** A URI cut at its delimiters; all but `text` in normal form, nothing decoded. */
export interface UriParts {
  /** As it was given. */
  readonly text: string
  /** What `canonicalUri` makes of it. */
  readonly normal: string
  readonly scheme: string
  /** What stands between `//` and the path; may be empty; absent without `//`. */
  readonly authority?: string
  readonly path: string
  /** Without its `?`; may be empty. */
  readonly query?: string
  /** Without its `#`; may be empty. */
  readonly fragment?: string
  /** What lies between the slashes of a path that is empty or begins with `/`; absent for an opaque URI. */
  readonly segments?: readonly string[]
}

/**
 * A URI cut into its parts (RFC 3986 section 3): first at `#`, then at `?`.
 * Segments are for `decodeSegment`. Throws `invalid-uri` as `canonicalUri` does.
 */
export function parseUri(text: string): UriParts {
  const normal = canonicalUri(text)
  const colon = schemeEnd(normal)
  const hash = normal.indexOf('#')
  const beforeHash = hash < 0 ? normal : normal.slice(0, hash)
  const question = beforeHash.indexOf('?')
  const head = question < 0 ? beforeHash : beforeHash.slice(0, question)
  let pathStart = colon + 1
  let authority: string | undefined
  if (head.startsWith('//', pathStart)) {
    const slash = head.indexOf('/', pathStart + 2)
    const end = slash < 0 ? head.length : slash
    authority = head.slice(pathStart + 2, end)
    pathStart = end
  }
  const path = head.slice(pathStart)
  const hierarchical = path.startsWith('/') || (path === '' && authority !== undefined)
  return {
    text,
    normal,
    scheme: normal.slice(0, colon),
    ...(authority === undefined ? {} : { authority }),
    path,
    ...(question < 0 ? {} : { query: beforeHash.slice(question + 1) }),
    ...(hash < 0 ? {} : { fragment: normal.slice(hash + 1) }),
    ...(hierarchical ? { segments: path === '' ? [] : path.slice(1).split('/') } : {}),
  }
}
