import type { Principal } from '../call.ts'

/** Everyone who did not say who they are. The ids of others begin with another character. */
const ANONYMOUS = 'anonymous'

/**
 * Under which name a principal is counted: an authenticated one for itself, all anonymous ones together, and the local one
 * not at all, since who sits at this machine shares it with nobody.
 */
export function meteredBy(principal: Principal): string | undefined {
  if (principal.kind === 'local') return undefined
  return principal.kind === 'anonymous' ? ANONYMOUS : `=${principal.id}`
}
