/** What the first line and `Host` of a request say that it is for. */
export interface RequestTarget {
  readonly host: string | undefined
  readonly path: string
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^?#]*)/i

/**
 * The target of a request. One in absolute form, as a client sends it that takes us for a proxy, names the host too, and
 * then the header does not count (RFC 9112 section 3.2.2).
 */
export function requestTarget(url: string, header: string | undefined): RequestTarget {
  if (!url.startsWith('/')) {
    const match = ABSOLUTE.exec(url)
    if (match !== null) return { host: match[1], path: match[2] === '' ? '/' : match[2]! }
  }
  const end = url.indexOf('?')
  return { host: header, path: end < 0 ? url : url.slice(0, end) }
}
