import { CharacterSet } from './character-set.ts'
import type { SecretScan } from './secret-span.ts'

/** A secret that says of itself what it is. */
export interface TokenShape {
  /** What it begins with: alternatives of a bounded length, so that looking for it is linear. */
  readonly begin: RegExp
  /** What follows, as many as there are. */
  readonly characters: CharacterSet
  readonly atLeast: number
  /** Whether it begins a word, for beginnings that are the end of common words too. */
  readonly wordStart?: boolean
}

const WORD = new CharacterSet('A-Za-z0-9_-')

/**
 * Looks for a token. What follows a beginning is looked at once, however many beginnings are within it: the run that a
 * position lies in ends where it ended for the position before.
 */
export function tokenScan({ begin, characters, atLeast, wordStart = false }: TokenShape): SecretScan {
  return (text, found) => {
    let runFrom = 0
    let runEnd = -1
    begin.lastIndex = 0
    for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
      if (wordStart && match.index > 0 && WORD.has(text.charCodeAt(match.index - 1))) continue
      const from = begin.lastIndex
      if (from < runFrom || from > runEnd) {
        runFrom = from
        runEnd = characters.endOfRun(text, from)
      }
      if (runEnd - from < atLeast) continue
      found(match.index, runEnd)
      begin.lastIndex = runEnd
    }
  }
}

const BASE64URL = new CharacterSet('A-Za-z0-9_-')
const DOT = 0x2e

/** JSON Web Tokens (RFC 7515, compact): two objects of JSON in base64url, and a signature, which may be empty. */
export const scanJwt: SecretScan = (text, found) => {
  for (let start = text.indexOf('eyJ'); start >= 0;) {
    const header = BASE64URL.endOfRun(text, start)
    const payload = isNext(text, header) ? BASE64URL.endOfRun(text, header + 1) : header
    const whole = header - start >= 10 && payload - header > 10 && text.charCodeAt(payload) === DOT
    // Whatever begins later in the same run ends with it, and is shorter.
    const end = whole ? BASE64URL.endOfRun(text, payload + 1) : header
    if (whole) found(start, end)
    start = text.indexOf('eyJ', end)
  }
}

function isNext(text: string, at: number): boolean {
  return text.charCodeAt(at) === DOT && text.startsWith('eyJ', at + 1)
}

/** A text as the source of a RegExp that matches it and nothing else. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
