import type { BigIntStats } from 'node:fs'

/** How long after a change a file may change again without its times showing it, in milliseconds. */
const FINE = 20
/** The same on file systems that keep whole seconds (or two). */
const COARSE = 2_000

let unsettled = 0

/**
 * A text that changes whenever the file's contents do, from its times, size and inode.
 * A file that changed within the grain of its times gets a text that is used only once: it matches nothing
 * later, so a second change in the same instant cannot pass for none.
 */
export function versionOf(stat: BigIntStats, now: number = Date.now()): string {
  const version = `${stat.mtimeNs.toString(36)}-${stat.ctimeNs.toString(36)}-${stat.size.toString(36)}-${stat.ino.toString(36)}`
  return isSettled(stat, now) ? version : `${version}-${now.toString(36)}.${(unsettled++).toString(36)}`
}

/** When a file or directory last changed, in nanoseconds. */
export function changedAt({ ctimeNs, mtimeNs }: BigIntStats): bigint {
  return ctimeNs > mtimeNs ? ctimeNs : mtimeNs
}

/**
 * True if a change from now on will show in the file's times. A time of modification in the future was set by hand: the
 * next change sets it back, and until then it says nothing of when the last one was.
 */
export function isSettled(stat: BigIntStats, now: number): boolean {
  const { ctimeNs, mtimeNs } = stat
  const present = BigInt(now) * 1_000_000n
  const changed = mtimeNs > present && ctimeNs <= present ? ctimeNs : changedAt(stat)
  const grain = changed % 1_000_000_000n === 0n ? COARSE : FINE
  return now - Number(changed / 1_000_000n) > grain
}

/** True if two looks at one open file saw the same contents. */
export function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino && a.dev === b.dev
}
