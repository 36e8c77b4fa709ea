import type { SecretScan } from './secret-span.ts'

const AT = 0x40
const COLON = 0x3a
const BRACKET = 0x5b

/** What ends a URI in a text. */
const STOPS = /[\s"'`<>]/g
/** What ends the authority of a URI (RFC 3986, section 3.2). */
const AUTHORITY = /[\s"'`<>/?#]/g
/** What stands for a password that is put in later. */
const PLACEHOLDER = /\$|\{|<|\*|%\(|\[redacted:/y

/**
 * Passwords between `scheme://user:` and `@host`. One that holds a raw slash, which a URI cannot, is found all the same:
 * what is no port is taken for a password when an `@` follows.
 */
export const scanUrlPasswords: SecretScan = (text, found) => {
  // Each is where it is for every place before it, so that it is looked for once.
  const stop = cursor((from) => nextOf(STOPS, text, from))
  const at = cursor((from) => indexFrom(text, '@', from))
  for (let mark = text.indexOf('://'); mark >= 0;) {
    const from = mark + 3
    const authority = nextOf(AUTHORITY, text, from)
    const colon = text.slice(from, authority).indexOf(':') + from
    let end = authority
    if (colon >= from && text.charCodeAt(from) !== BRACKET) {
      let last = lastAt(text, colon, authority)
      if (last < 0 && !isPort(text, colon + 1, authority)) last = at(colon)
      const inside = last > colon + 1 && last < stop(colon)
      if (inside && !matchesAt(PLACEHOLDER, text, colon + 1)) {
        found(colon + 1, last)
        end = last
      }
    }
    mark = text.indexOf('://', Math.max(end, from))
  }
}

function lastAt(text: string, from: number, end: number): number {
  for (let i = end - 1; i > from; i--) if (text.charCodeAt(i) === AT) return i
  return -1
}

/** Nothing but digits, or nothing. */
function isPort(text: string, from: number, end: number): boolean {
  if (end - from > 5) return false
  return /^\d*$/.test(text.slice(from, end)) && text.charCodeAt(from - 1) === COLON
}

function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

function indexFrom(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from)
  return index < 0 ? text.length : index
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Remembers the last answer for places that only grow. */
function cursor(next: (from: number) => number): (from: number) => number {
  let known = -1
  return (from) => (known >= from ? known : (known = next(from)))
}
