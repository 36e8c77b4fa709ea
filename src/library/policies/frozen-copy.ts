/** Levels of what is copied. */
const DEEPEST = 100

/** A copy that nobody can change, and about how many bytes it takes. */
export interface FrozenCopy<T> {
  readonly value: T
  readonly bytes: number
}

/**
 * A copy of plain data, so that many can have the same; undefined for what is none, or nested too deeply. Members keep
 * their names, `__proto__` too.
 */
export function frozenCopy<T>(data: T): FrozenCopy<T> | undefined {
  const sum = { bytes: 0 }
  try {
    return { value: copied(data, sum, 0) as T, bytes: sum.bytes }
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

class NotPlain extends Error {}

function copied(data: unknown, sum: { bytes: number }, depth: number): unknown {
  sum.bytes += 16
  if (typeof data === 'string') sum.bytes += 2 * data.length
  if (data === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof data)) return data
  if (typeof data !== 'object' || depth > DEEPEST) throw new NotPlain()
  if (Array.isArray(data)) return Object.freeze(data.map((item) => copied(item, sum, depth + 1)))
  const prototype: unknown = Object.getPrototypeOf(data)
  if (prototype !== Object.prototype && prototype !== null) throw new NotPlain()
  const members = Object.entries(data).map(([name, member]) => {
    sum.bytes += 2 * name.length
    return [name, copied(member, sum, depth + 1)] as const
  })
  return Object.freeze(Object.fromEntries(members))
}
