import type { Principal } from '../../../library/index.ts'
import { isStrings } from '../../../protocol/index.ts'

/** Claims of a token whose signature, issuer, audience and times are right. */
export type Claims = { readonly [name: string]: unknown }

/** What columns of an id have not: what ends them, what escapes, and what cannot be seen. */
const ESCAPED = /[%\s\p{Cc}\p{Cf}\p{Z}]/gu

/**
 * The Principal of a token: who (`sub`), by which program (`client_id`, else `azp`), vouched for by whom (`iss`). Two users
 * of one client, and one user of two, are not the same. Undefined for a token that does not say who or until when, or that
 * is bound to a key, which a bearer does not prove to have (RFC 9449, RFC 8705).
 *
 * @param toleranceMs for how long after `exp` it is taken
 */
export function principalOf(claims: Claims, toleranceMs: number): Principal | undefined {
  const { iss, sub, exp, cnf } = claims
  const client = text(claims['client_id']) ?? text(claims['azp']) ?? ''
  const issuer = text(iss)
  const subject = text(sub)
  if (issuer === undefined || subject === undefined || cnf !== undefined) return undefined
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return undefined
  return {
    id: [issuer, client, subject].map(column).join(' '),
    kind: 'authenticated',
    scopes: scopesOf(claims['scope'] ?? claims['scp']),
    claims,
    expiresAt: exp * 1_000 + toleranceMs,
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.isWellFormed() ? value : undefined
}

/** Text without blanks, from which no other text comes. */
function column(value: string): string {
  return value.replace(ESCAPED, (character) => encodeURIComponent(character))
}

/** Text with blanks between (RFC 8693 section 4.2), or a list, as some issuers have it. */
function scopesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '')
  return isStrings(value) ? value : []
}
