import { ShelfError } from '../../errors.ts'
import type { Principal } from '../call.ts'

/**
 * Whom a rule is about. A kind of principal, or facts that an authenticator vouched for, all of which must hold:
 * they are true of no local and no anonymous principal. A list means any of them.
 */
export type AccessWho = Principal['kind'] | AccessFacts | readonly (Principal['kind'] | AccessFacts)[]

/** What is known of an authenticated principal. Compared as exact text. */
export interface AccessFacts {
  readonly id?: string
  /** One of its scopes. */
  readonly scope?: string
  /** Claims by name: the claim is this value, or a list with it. */
  readonly claims?: { readonly [name: string]: string | number | boolean }
}

const KINDS: readonly unknown[] = ['local', 'anonymous', 'authenticated'] satisfies readonly Principal['kind'][]
const FACTS: readonly string[] = ['id', 'scope', 'claims'] satisfies readonly (keyof AccessFacts)[]

/**
 * Whether a principal is one of whom a rule is about; without `who` everybody is.
 *
 * @throws ShelfError `invalid-option` for a kind or fact that does not exist, and for facts that say nothing
 */
export function accessTest(who: AccessWho | undefined): (principal: Principal) => boolean {
  if (who === undefined) return () => true
  const tests = (isList(who) ? who : [who]).map(testOf)
  if (tests.length === 0) throw refused('"who" names nobody; without it the rule is about everybody')
  return (principal) => tests.some((test) => test(principal))
}

function isList(who: AccessWho): who is readonly (Principal['kind'] | AccessFacts)[] {
  return Array.isArray(who)
}

function testOf(who: Principal['kind'] | AccessFacts): (principal: Principal) => boolean {
  if (typeof who === 'string') {
    if (!KINDS.includes(who)) throw refused(`"who" must be one of ${KINDS.join(', ')}, or facts, got ${JSON.stringify(who)}`)
    return (principal) => principal.kind === who
  }
  const names = typeof who === 'object' && who !== null ? Object.keys(who) : []
  const unknown = names.find((name) => !FACTS.includes(name))
  if (names.length === 0 || unknown !== undefined)
    throw refused(`facts of "who" are ${FACTS.join(', ')}, at least one, got ${JSON.stringify(unknown ?? who)}`)
  const { id, scope, claims = {} } = who
  for (const fact of [id, scope]) {
    if (fact !== undefined && typeof fact !== 'string')
      throw refused(`"id" and "scope" of "who" are text, got ${JSON.stringify(fact)}`)
  }
  const wanted = Object.entries(claims)
  if (wanted.length === 0 && id === undefined && scope === undefined) throw refused('"who" says nothing')
  if (wanted.some(([, value]) => !['string', 'number', 'boolean'].includes(typeof value)))
    throw refused('a claim of "who" is text, a number or a boolean')
  return (principal) =>
    principal.kind === 'authenticated' &&
    (id === undefined || principal.id === id) &&
    (scope === undefined || principal.scopes.includes(scope)) &&
    wanted.every(([name, value]) => Object.hasOwn(principal.claims, name) && isOrHas(principal.claims[name], value))
}

function isOrHas(claim: unknown, value: string | number | boolean): boolean {
  return claim === value || (Array.isArray(claim) && claim.includes(value))
}

function refused(message: string): ShelfError {
  return new ShelfError('invalid-option', `An access rule: ${message}`, { option: 'rules' })
}
