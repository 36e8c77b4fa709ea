import type { Opened } from './open-beneath.ts'
import type { DirectoryNames } from './scan-directory.ts'
import { scanDirectory } from './scan-directory.ts'
import { changedAt } from './version.ts'

/** The most bytes that remembered names may take, over all roots of this process. */
const BUDGET = 32 * 1024 * 1024
/** What remembering a directory takes besides its names. */
const OVERHEAD = 1_024
/** A directory that changed this shortly before it was read may have changed again since without its times showing it. */
const SETTLED_MS = 2_000
/** How long names serve further pages of a directory that keeps changing: this long, */
const FURTHER_MS = 1_000
/** or so many times as long as it took to read them, so that reading takes a tenth of the time at most. */
const FURTHER_TIMES = 10

interface Scan {
  readonly names: DirectoryNames
  /** Of the directory before it was read. */
  readonly signature: string
  /** Whether the directory's times will show the next change. */
  readonly settled: boolean
  /** When reading began, in milliseconds of the monotonic clock. */
  readonly begun: number
  readonly took: number
}

interface Wanted {
  readonly signature: string
  readonly since: number
  readonly further: boolean
}

const remembered = new Map<string, Scan>()
const underWay = new Map<string, Promise<Scan>>()
let total = 0

/**
 * The sorted names of an open directory. Sorted paging needs all of them, so a few directories' names are remembered
 * (least recently used go first) and trusted as long as the directory's times, inode and device are the same. Names that
 * were read within two seconds of the directory's last change serve nothing but `further` pages, which go on within
 * the directory, and these for a short time: what stood there since a walk's first page is among them all the same.
 * A directory is read once at a time, whoever asks meanwhile.
 */
export async function directoryNames(opened: Opened, further: boolean): Promise<DirectoryNames> {
  const { stat } = opened
  const key = `${stat.dev}:${stat.ino}`
  const wanted = { signature: `${stat.mtimeNs}:${stat.ctimeNs}`, since: performance.now(), further }
  for (;;) {
    const known = remembered.get(key)
    if (known !== undefined && serves(known, wanted)) {
      remembered.delete(key)
      remembered.set(key, known)
      return known.names
    }
    const running = underWay.get(key)
    if (running === undefined) break
    const other = await running
    if (serves(other, wanted)) return other.names
  }
  const work = scanNow(opened, wanted.signature)
  underWay.set(key, work)
  try {
    const done = await work
    remember(key, done)
    return done.names
  } finally {
    underWay.delete(key)
  }
}

function serves(scan: Scan, wanted: Wanted): boolean {
  if (scan.begun >= wanted.since) return true
  if (scan.settled && scan.signature === wanted.signature) return true
  return wanted.further && performance.now() - scan.begun < Math.max(FURTHER_MS, FURTHER_TIMES * scan.took)
}

async function scanNow(opened: Opened, signature: string): Promise<Scan> {
  const settled = Date.now() - Number(changedAt(opened.stat) / 1_000_000n) > SETTLED_MS
  const begun = performance.now()
  const names = await scanDirectory(opened)
  return { names, signature, settled, begun, took: performance.now() - begun }
}

function remember(key: string, scan: Scan): void {
  forget(key)
  if (sizeOf(scan) > BUDGET) return
  remembered.set(key, scan)
  total += sizeOf(scan)
  for (const oldest of remembered.keys()) {
    if (total <= BUDGET) break
    forget(oldest)
  }
}

function forget(key: string): void {
  const known = remembered.get(key)
  if (known === undefined) return
  remembered.delete(key)
  total -= sizeOf(known)
}

function sizeOf({ names }: Scan): number {
  return names.bytes + OVERHEAD
}
