import { decodeSegment, encodeSegment, normalUri } from '../../uri/index.ts'
import { isOddWindowsName } from './windows-names.ts'

/** The most bytes of a URI that we mint. */
const MAX_URI = 2048

/** URIs of one root, there and back. Paths are relative to the root, parts joined by `/`; empty is the root. */
export interface PathUris {
  /** The root directory's own URI, and the prefix of all others. */
  readonly root: string
  /** The one URI of a path; undefined for a path that has none: a name we refuse, or too long. */
  uriOf(path: string): string | undefined
  /** The path a URI stands for; undefined unless its normal form is the one URI of that path. */
  pathOf(uri: string): string | undefined
}

/** URIs below `file:///<name>`. */
export function createPathUris(name: string): PathUris {
  const root = `file:///${encodeSegment(name)}`
  const uriOf = (path: string): string | undefined => {
    let uri = root
    if (path !== '') {
      for (const part of path.split('/')) {
        if (!isPlainName(part)) return undefined
        uri += `/${encodeSegment(part)}`
      }
    }
    return uri.length > MAX_URI ? undefined : uri
  }
  return {
    root,
    uriOf,
    pathOf(uri) {
      // Three characters of a URI for each of its normal form are the most there can be.
      const normal = uri.length > 3 * MAX_URI ? undefined : normalUri(uri)
      if (normal === undefined || normal.length > MAX_URI) return undefined
      if (normal === root) return ''
      if (!normal.startsWith(`${root}/`)) return undefined
      const parts = []
      for (const segment of normal.slice(root.length + 1).split('/')) {
        const part = decodeSegment(segment)
        // Minted again and compared: a raw `?`, `#`, `&` or a trailing slash is another URI than the one we list.
        if (part === undefined || !isPlainName(part) || encodeSegment(part) !== segment) return undefined
        parts.push(part)
      }
      return parts.join('/')
    },
  }
}

/**
 * True for a name that may stand in a URI of ours: not `.` or `..`, no separator of any system, no control
 * character, well-formed; on Windows also none that Windows reads as something else.
 */
export function isPlainName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || !name.isWellFormed()) return false
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i)
    if (unit < 0x20 || unit === 0x2f || unit === 0x5c || (unit >= 0x7f && unit <= 0x9f)) return false
  }
  return process.platform !== 'win32' || !isOddWindowsName(name)
}
