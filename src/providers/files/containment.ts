/** Whose rules a path follows. */
export type PathStyle = 'posix' | 'windows'

/**
 * The path of `path` below `root`, parts joined by `/`, empty for the root itself; undefined if it lies outside.
 * Both are absolute. Compared part by part, so `/srv/data-evil` is not below `/srv/data`. On Windows case does
 * not count, either slash separates, and a `\\?\` before a path is overlooked. A path with `.` or `..` in it is outside.
 */
export function relativeWithin(root: string, path: string, style: PathStyle): string | undefined {
  const above = partsOf(root, style)
  const parts = partsOf(path, style)
  if (above === undefined || parts === undefined || parts.length < above.length) return undefined
  for (let i = 0; i < above.length; i++) if (!samePart(above[i], parts[i], style)) return undefined
  return parts.slice(above.length).join('/')
}

function samePart(a: string | undefined, b: string | undefined, style: PathStyle): boolean {
  return a === b || (style === 'windows' && a?.toLowerCase() === b?.toLowerCase())
}

/** The volume and then each name; undefined if the path is not absolute or holds `.` or `..`. */
function partsOf(path: string, style: PathStyle): readonly string[] | undefined {
  if (style === 'posix') return path.startsWith('/') ? namesOf(path, []) : undefined
  let rest = path.replaceAll('\\', '/')
  if (/^\/\/[?.]\/UNC\//i.test(rest)) rest = `//${rest.slice(8)}`
  else if (/^\/\/[?.]\//.test(rest)) rest = rest.slice(4)
  const drive = /^([A-Za-z]:)\//.exec(`${rest}/`)
  if (drive !== null) return namesOf(rest.slice(2), [String(drive[1])])
  const share = /^\/\/([^/]+)\/([^/]+)/.exec(rest)
  return share === null ? undefined : namesOf(rest.slice(share[0].length), [`//${share[1]}/${share[2]}`])
}

function namesOf(path: string, parts: string[]): readonly string[] | undefined {
  for (const name of path.split('/')) {
    if (name === '.' || name === '..') return undefined
    if (name !== '') parts.push(name)
  }
  return parts
}
