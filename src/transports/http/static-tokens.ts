import { createHash, randomBytes } from 'node:crypto'
import { ShelfError } from '../../errors.ts'
import type { Principal } from '../../library/index.ts'
import type { Authenticate } from './authenticate.ts'
import { isScope } from './scope.ts'

/** One token of a list, by its hash. */
export interface StaticToken {
  /** The id of its principal: shown in the audit, and what rules name. */
  readonly name: string
  /** SHA-256 of the token, in hexadecimal. */
  readonly sha256: string
  readonly scopes: readonly string[]
}

/** So that a token that leaked is recognised by those who look for such things. */
const PREFIX = 'shelfmark_'
/** 256 bits: a hash of it needs no salt, and cannot be guessed. */
const TOKEN_BYTES = 32

/** A new token, which is nowhere else, and what is kept of it. */
export function createToken(
  name: string,
  scopes: readonly string[] = [],
): { readonly token: string; readonly kept: StaticToken } {
  const token = `${PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
  return { token, kept: { name, sha256: hashOf(token), scopes } }
}

/** Tokens of a list. They are compared by their hashes, so that how long that takes tells nothing of them. */
export function staticTokens(tokens: readonly StaticToken[]): Authenticate {
  const principals = new Map(tokens.map(({ name, sha256, scopes }) => [sha256, principalOf(name, scopes)] as const))
  return (token) => principals.get(hashOf(token))
}

function principalOf(id: string, scopes: readonly string[]): Principal {
  return { id, kind: 'authenticated', scopes, claims: {} }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

const NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/
const HASH = /^sha256:([0-9a-f]{64})$/

/**
 * The tokens of a text with one a line, `name sha256:<hash> scope...`; empty lines and those that begin with `#` do not
 * count.
 *
 * @throws ShelfError `invalid-option` naming `file` and the line, and repeating nothing of it
 */
export function parseTokens(text: string, file: string): readonly StaticToken[] {
  const tokens: StaticToken[] = []
  const hashes = new Set<string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [name, hash, ...scopes] = line.trim().split(/\s+/)
    if (name === undefined || name === '' || name.startsWith('#')) continue
    const sha256 = HASH.exec(hash ?? '')?.[1]
    const wrong = (what: string): ShelfError =>
      new ShelfError('invalid-option', `${file}, line ${index + 1}: ${what}`, { option: 'tokens' })
    if (!NAME.test(name)) throw wrong('a name of letters, digits and . _ @ - is wanted first')
    // Whoever puts the token itself here is told so, and not what it is.
    if (sha256 === undefined)
      throw wrong('sha256: and 64 hexadecimal digits are wanted second; `shelfmark token` makes such a line')
    if (!scopes.every(isScope)) throw wrong('a scope has a character that none may have')
    if (hashes.has(sha256)) throw wrong('the same token is there already')
    hashes.add(sha256)
    tokens.push({ name, sha256, scopes })
  }
  return tokens
}

/** A token as a line of such a text. */
export function formatToken({ name, sha256, scopes }: StaticToken): string {
  return [name, `sha256:${sha256}`, ...scopes].join(' ')
}

/** Whether a name is one for a token. */
export function isTokenName(name: string): boolean {
  return NAME.test(name)
}
