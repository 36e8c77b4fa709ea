import type { Principal } from '../call.ts'

/** The longest text that says who somebody is, in UTF-16 units. */
const LONGEST = 4_096

const known = new WeakMap<Principal, string>()

/**
 * Who asks, as text: two principals are the same if all that a provider can see of them is. Undefined for one that cannot be
 * told from others.
 */
export function principalKey(principal: Principal): string | undefined {
  const key = known.get(principal) ?? keyOf(principal)
  if (key !== undefined) known.set(principal, key)
  return key
}

function keyOf({ kind, id, scopes, claims }: Principal): string | undefined {
  try {
    const key = JSON.stringify([kind, id, scopes, claims])
    return key.length <= LONGEST ? key : undefined
  } catch {
    return undefined
  }
}
