import { foldedUri } from '../../uri/index.ts'
import { LONGEST_URI } from '../longest-uri.ts'

/** A URI as access rules look at it: without query and fragment, which no rule is about. */
export interface ReadPath {
  /** In normal form, the host in lower case where its case does not count. */
  readonly written: string
  /**
   * The same as a source may understand it that decodes too early or joins too much: reserved characters as themselves,
   * `\` and every encoded slash a slash, empty segments left out. Mostly the same text.
   */
  readonly plain: string
  /** Whether its triplets are UTF-8. No template matches what is not. */
  readonly isText: boolean
}

/** How rules see a URI; undefined for what no rule allows: no URI, too long, or with a segment `.` or `..`. */
export function readPath(uri: string): ReadPath | undefined {
  const written = uri.length > LONGEST_URI ? undefined : headOf(uri)
  if (written === undefined) return undefined
  const start = written.indexOf(':') + 1
  const shape = shapeOf(written, start)
  if (shape === 'dots') return undefined
  const hasTriplets = written.includes('%', start)
  return {
    written,
    plain: shape === 'odd' ? plainText(written) : written,
    isText: !hasTriplets || isText(written),
  }
}

/** The scheme, authority and path of a URI in normal form. */
export function headOf(uri: string): string | undefined {
  const hash = uri.indexOf('#')
  const question = uri.indexOf('?')
  const end = Math.min(hash < 0 ? uri.length : hash, question < 0 ? uri.length : question)
  return foldedUri(end < uri.length ? uri.slice(0, end) : uri)
}

/** A head in normal form, or the beginning of one, in its plain reading. */
export function plainText(head: string): string {
  const start = head.indexOf(':') + 1
  const segments = plainPiece(head.slice(start)).split('/')
  const slashes = segments.findIndex((segment) => segment !== '')
  if (slashes < 0) return head
  const kept = segments.slice(slashes).filter((segment, i, all) => segment !== '' || i === all.length - 1)
  return head.slice(0, start) + (slashes === 1 || slashes > 3 ? '///' : '/'.repeat(slashes)) + kept.join('/')
}

/** A stretch of a path with its reserved characters as themselves. */
export function plainPiece(text: string): string {
  const [first = '', ...pieces] = text.split('%')
  return first + pieces.map(plainTriplet).join('')
}

/** What stands behind a percent sign, with the character that its first two digits stand for. */
function plainTriplet(piece: string): string {
  const triplet = `%${piece.slice(0, 2).toUpperCase()}`
  return (PLAIN.get(triplet) ?? triplet) + piece.slice(2)
}

/** Reserved characters that a path may hold both raw and encoded; `?` and `#` raw are its end. */
const PLAIN = new Map<string, string>([
  ['%5C', '/'],
  ...Array.from(
    `/:[]@!$&'()*+,;=`,
    (character) => [`%${character.charCodeAt(0).toString(16).toUpperCase()}`, character] as const,
  ),
])

const SLASH = 0x2f
const DOT = 0x2e
const PERCENT = 0x25

/** Looks at a head once: it is mostly `plain`. */
function shapeOf(head: string, start: number): 'plain' | 'odd' | 'dots' {
  let odd = false
  let from = start
  let slashes = 0
  let named = false
  for (let i = start; i <= head.length; i++) {
    const code = i < head.length ? head.charCodeAt(i) : SLASH
    let width = 1
    if (code === PERCENT) {
      const plain = PLAIN.get(head.slice(i, i + 3))
      odd ||= plain !== undefined
      if (plain !== '/') continue
      width = 3
    } else if (code !== SLASH) continue
    const length = i - from
    if (length > 0 && length < 3 && head.charCodeAt(from) === DOT && head.charCodeAt(i - 1) === DOT) return 'dots'
    if (length > 0) named = true
    else if (i < head.length) {
      odd ||= named
      slashes++
    }
    from = i + width
    i += width - 1
  }
  return odd || slashes === 1 || slashes > 3 ? 'odd' : 'plain'
}

function isText(head: string): boolean {
  try {
    decodeURIComponent(head)
    return true
  } catch {
    return false
  }
}
