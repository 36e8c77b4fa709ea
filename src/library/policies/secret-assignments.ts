import { CharacterSet } from './character-set.ts'
import type { SecretScan } from './secret-span.ts'

/** Names of what is a secret, or the end of one: `DB_PASSWORD`, `clientSecret`. */
const NAME =
  /passw(?:or)?d|passphrase|pwd|secret|api[-_]?key|access[-_]?key|private[-_]?key|auth[-_]?token|access[-_]?token|refresh[-_]?token/gi
/** What else may belong to the name: `secret_key`, `secretAccessKey`, `PASSWORD2`. */
const SUFFIX = /(?:[A-Z0-9_-][A-Za-z0-9_-]{0,31})?/y
/** Between a name and its value: the quote that ends the name, also an escaped one, and a sign. */
const TIGHT = /=(?![=>])|>/y
const LOOSE = /(?:\\?["'`]\]?)?[ \t]{0,8}(?::=|=>|=|:)[ \t]{0,8}/y
const QUOTE = /\\?(["'`])/y
/** What stands for a value that is put in later, or is none. */
const NO_VALUE =
  /\$[{(A-Za-z_]|\{\{|<|%\(|#\{|\*{3}|\[redacted:|(?:true|false|null|none|undefined|required|optional)(?![A-Za-z0-9_-])/iy
/** A call, or a variable as an argument, of which only the program knows what it gives. */
const CODE = /[A-Za-z_$][\w$.]*\(|[A-Za-z_$.]*[,)]/y
const FOLDER = /\/|[A-Z]:\\/y

const SPACES = ' \t\r\n\f\v'
const QUOTES = '"\'`'

/** Everything but what ends a value: spaces, quotes, and what stands between parameters of a query or tags. */
const endOfTight = endBefore(`${SPACES}${QUOTES}&<>`)
const endOfLoose = endBefore(`${SPACES}${QUOTES}&<>,;(){}[]`)
const LETTERS = new CharacterSet('A-Za-z_.$')

/**
 * Values of names that say they are secret: `PASSWORD=...`, `"apiKey": "..."`, `?access_token=...`. A quoted value has no
 * spaces in it; one without quotes that has spaces round its sign is more than letters, so that the types and variables of
 * a program stay.
 */
export const scanAssignments: SecretScan = (text, found) => {
  NAME.lastIndex = 0
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const resume = NAME.lastIndex
    const name = after(SUFFIX, text, resume) ?? resume
    const value = valueAt(text, name, match[0].length === 3)
    if (value === undefined) continue
    found(value.start, value.end)
    NAME.lastIndex = value.end
  }
}

interface Value {
  readonly start: number
  readonly end: number
}

/** @param folder whether the name is also that of the folder one is in (`PWD`) */
function valueAt(text: string, name: number, folder: boolean): Value | undefined {
  const tight = after(TIGHT, text, name)
  const start = tight !== undefined && !isSpace(text, tight) ? tight : after(LOOSE, text, name)
  if (start === undefined) return undefined
  const quoted = after(QUOTE, text, start)
  if (after(NO_VALUE, text, quoted ?? start) !== undefined) return undefined
  if (folder && after(FOLDER, text, quoted ?? start) !== undefined) return undefined
  if (quoted !== undefined) return quotedValue(text, quoted, quoted - start > 1)
  if (after(CODE, text, start) !== undefined) return undefined
  if (start === tight) return longEnough(start, endOfTight(text, start), 4)
  const end = endOfLoose(text, start)
  return LETTERS.endOfRun(text, start) < end ? longEnough(start, end, 6) : undefined
}

/** @param escaped whether its quotes have a backslash before them, since it stands within other quotes */
function quotedValue(text: string, start: number, escaped: boolean): Value | undefined {
  const quote = text[start - 1]!
  let end = start
  for (; end < text.length && !SPACES.includes(text[end]!); end++) {
    if (text[end] === quote || (escaped && text[end] === '\\' && text[end + 1] === quote)) return longEnough(start, end, 4)
    if (text[end] === '\\' && !escaped) end++
  }
  // A line that is cut off has no second quote.
  const cutOff = end >= text.length || text[end] === '\n' || text[end] === '\r'
  return cutOff ? longEnough(start, Math.min(end, text.length), 4) : undefined
}

function longEnough(start: number, end: number, least: number): Value | undefined {
  return end - start < least ? undefined : { start, end }
}

function isSpace(text: string, at: number): boolean {
  return at >= text.length || SPACES.includes(text[at]!)
}

/** Where a sticky pattern ends that matches here. */
function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function endBefore(stops: string): (text: string, from: number) => number {
  const ends = new CharacterSet(stops)
  return (text, from) => {
    let end = from
    while (end < text.length && !ends.has(text.charCodeAt(end))) end++
    return end
  }
}

const AUTHORIZATION = /authorization/gi
/** What stands between the name of the header and its scheme in headers, objects and command lines. */
const TO_SCHEME = /[\s"'`:=>,\\\])(]{1,16}(?:bearer|basic|token|apikey|negotiate)(?:[ \t]|%20|\+){1,8}/iy
/** The credentials of a header (RFC 9110, section 11.2). */
const TOKEN68 = new CharacterSet('A-Za-z0-9._~+/=-')

/** Credentials of `Authorization` and `Proxy-Authorization`, which keep their scheme. */
export const scanAuthorization: SecretScan = (text, found) => {
  AUTHORIZATION.lastIndex = 0
  while (AUTHORIZATION.test(text)) {
    const resume = AUTHORIZATION.lastIndex
    const start = after(TO_SCHEME, text, resume)
    const end = start === undefined ? resume : TOKEN68.endOfRun(text, start)
    if (start === undefined || end - start < 6) {
      AUTHORIZATION.lastIndex = resume
      continue
    }
    found(start, end)
    AUTHORIZATION.lastIndex = end
  }
}
