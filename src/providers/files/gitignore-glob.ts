/** One part of a pattern between slashes: exact text, or tokens. */
export type Glob = string | readonly Token[]

type Token = string | typeof ONE | typeof MANY | CharacterClass
interface CharacterClass {
  readonly negated: boolean
  readonly test: (character: string) => boolean
}

const ONE = 1
const MANY = 2
const POSIX: { readonly [name: string]: RegExp } = {
  alpha: /^[A-Za-z]$/,
  digit: /^[0-9]$/,
  alnum: /^[A-Za-z0-9]$/,
  upper: /^[A-Z]$/,
  lower: /^[a-z]$/,
  space: /^\s$/,
  blank: /^[ \t]$/,
  punct: /^[!-/:-@[-`{-~]$/,
  xdigit: /^[A-Fa-f0-9]$/,
}

/** One part of a pattern; undefined if it can match nothing (an open bracket, a trailing backslash). */
export function parseGlob(text: string): Glob | undefined {
  if (!/[*?[\\]/.test(text)) return text
  const characters = Array.from(text)
  const tokens: Token[] = []
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? ''
    if (character === '*') {
      if (tokens.at(-1) !== MANY) tokens.push(MANY)
    } else if (character === '?') tokens.push(ONE)
    else if (character === '\\') {
      const escaped = characters[++i]
      if (escaped === undefined) return undefined
      tokens.push(escaped)
    } else if (character === '[') {
      const parsed = parseClass(characters, i + 1)
      if (parsed === undefined) return undefined
      tokens.push(parsed.token)
      i = parsed.end
    } else tokens.push(character)
  }
  return tokens.every((token) => typeof token === 'string') ? tokens.join('') : tokens
}

function parseClass(characters: readonly string[], start: number): { token: CharacterClass; end: number } | undefined {
  let i = start
  const negated = characters[i] === '!' || characters[i] === '^'
  if (negated) i++
  const tests: ((character: string) => boolean)[] = []
  for (let first = true; first || characters[i] !== ']'; first = false) {
    const named = /^\[:([a-z]+):\]/.exec(characters.slice(i, i + 12).join(''))
    if (named !== null) {
      const pattern = POSIX[named[1] ?? '']
      if (pattern === undefined) return undefined
      tests.push((character) => pattern.test(character))
      i += named[0].length
      continue
    }
    if (characters[i] === '\\') i++
    const low = characters[i]
    if (low === undefined) return undefined
    i++
    if (characters[i] === '-' && characters[i + 1] !== ']' && characters[i + 1] !== undefined) {
      i += characters[i + 1] === '\\' ? 2 : 1
      const high = characters[i]
      if (high === undefined) return undefined
      i++
      tests.push((character) => low <= character && character <= high)
    } else tests.push((character) => character === low)
  }
  return { token: { negated, test: (character) => tests.some((test) => test(character)) }, end: i }
}

/** Whether one name matches. Linear in name times pattern: only the last `*` is ever gone back to. */
export function matchesGlob(glob: Glob, name: string): boolean {
  if (typeof glob === 'string') return glob === name
  const characters = Array.from(name)
  let at = 0
  let token = 0
  let star = -1
  let retry = 0
  while (at < characters.length) {
    const expected = glob[token]
    if (expected === MANY) {
      star = token++
      retry = at
    } else if (expected !== undefined && matchesToken(expected, characters[at] ?? '')) {
      token++
      at++
    } else if (star !== -1) {
      token = star + 1
      at = ++retry
    } else return false
  }
  while (glob[token] === MANY) token++
  return token === glob.length
}

function matchesToken(token: Token, character: string): boolean {
  if (token === ONE) return true
  if (typeof token === 'string') return token === character
  return typeof token === 'object' && token.test(character) !== token.negated
}
