/**
 * A set of names as sorted hashes of 53 bits: 8 bytes a name, where the names themselves would take about 60. Two names
 * of one folder that share a hash are one in 10^7 folders of 40,000.
 */
export type NameSet = Float64Array

export const NO_NAMES: NameSet = new Float64Array(0)

export function nameSet(names: readonly string[]): NameSet {
  return Float64Array.from(names, hashOf).toSorted()
}

/** A set with one name more, or one less. */
export function withName(set: NameSet, name: string, there: boolean): NameSet {
  const hash = hashOf(name)
  const index = indexOf(set, hash)
  if ((set[index] === hash) === there) return set
  const changed = new Float64Array(set.length + (there ? 1 : -1))
  changed.set(set.subarray(0, index))
  if (there) changed[index] = hash
  changed.set(set.subarray(there ? index : index + 1), there ? index + 1 : index)
  return changed
}

export function sameNames(a: NameSet, b: NameSet): boolean {
  return a.length === b.length && a.every((hash, index) => hash === b[index])
}

/** The first index whose hash is not smaller. */
function indexOf(set: NameSet, hash: number): number {
  let low = 0
  let high = set.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((set[middle] ?? 0) < hash) low = middle + 1
    else high = middle
  }
  return low
}

/** Two multiplicative hashes side by side, as one whole number below 2^53. */
function hashOf(name: string): number {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13)
  }
  low ^= low >>> 15
  high ^= high >>> 16
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0)
}
