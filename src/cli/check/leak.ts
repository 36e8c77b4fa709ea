import { isObject } from '../../protocol/index.ts'

/** Something in an error that is the server's own business. */
export interface Leak {
  readonly what: string
  readonly text: string
}

/** Lines that only a stack trace has: of JavaScript, Python, Java and .NET, Go, Rust. */
const TRACES = [
  /^\s*at (?:async )?\S.* ?\(?(?:file:\/\/|node:|\/|[A-Za-z]:\\)[^\n]*:\d+:\d+\)?$/,
  /Traceback \(most recent call last\)/,
  /^\s*File "[^"\n]+", line \d+/,
  /^\s*at [\w$.<>]+\([\w$]+\.(?:java|kt|scala):\d+\)$/,
  /^\s*at [\w$.<>`]+\(.*\) in \S.*:line \d+$/,
  /^goroutine \d+ \[/,
  /^thread '.*' panicked at /,
]

/** What only the machine of the server has. */
const PATHS =
  /(?<![\w.~%:/-])(?:\/(?:home|Users|root|usr|var|opt|srv|etc|tmp|private|app|workspace)\/[^\s'"`<>|:]+|[A-Za-z]:\\(?:Users|Program Files|Windows)\\[^\s'"`<>|:]+)/g

/** What is looked at: lines of a text, characters of a line, paths, and URIs that may have one. */
const MOST_LINES = 200
const MOST_CHARACTERS = 400
const MOST_PATHS = 20
const MOST_KNOWN = 2_000

/**
 * A stack trace in an error, or a path that nobody named.
 *
 * @param known URIs that the server tells anyway; a path that one of them holds is no secret
 */
export function leakIn(error: unknown, known: Iterable<string>): Leak | undefined {
  for (const text of textsOf(error, 0)) {
    const lines = text.split('\n', MOST_LINES).map((line) => line.slice(0, MOST_CHARACTERS))
    if (lines.some((line) => TRACES.some((pattern) => pattern.test(line)))) return { what: 'a stack trace', text }
    const paths = lines.flatMap((line) => line.match(PATHS) ?? []).slice(0, MOST_PATHS)
    if (paths.length === 0) continue
    const uris = some(known)
    if (paths.some((path) => !uris.some((uri) => uri.includes(path)))) return { what: 'a path of its machine', text }
  }
  return undefined
}

/** Some URIs, each as it is and decoded. */
function some(known: Iterable<string>): readonly string[] {
  const uris: string[] = []
  for (const uri of known) {
    if (uris.length >= 2 * MOST_KNOWN) break
    uris.push(uri, decoded(uri))
  }
  return uris
}

/** The text in an error, at most a few levels deep. */
function textsOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value.slice(0, MOST_LINES * MOST_CHARACTERS)]
  if (depth > 4) return []
  if (Array.isArray(value)) return (value as unknown[]).flatMap((one) => textsOf(one, depth + 1))
  return isObject(value) ? Object.values(value).flatMap((one) => textsOf(one, depth + 1)) : []
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}
