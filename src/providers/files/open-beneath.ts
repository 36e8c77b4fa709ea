import { isUtf8 } from 'node:buffer'
import * as fs from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { relativeWithin } from './containment.ts'
import { fileFailure, isAbsence } from './failures.ts'
import { open, realpath, stat as statPath } from './fs-calls.ts'
import { isServed } from './object-rules.ts'
import { isPseudoFileSystem } from './pseudo-file-system.ts'
import { placeOf } from './root.ts'
import type { FilesRoot } from './root.ts'
import { foldPath } from './secrets.ts'

/** A regular file or a directory that is open, and where it really lies. */
export interface Opened {
  readonly fd: number
  readonly stat: BigIntStats
  /** Where the opened object really lies below the root: parts joined by `/`. */
  readonly path: string
  /** A path that leads to the opened object itself, whatever happens to its name meanwhile (Linux). */
  readonly self: string
}

const { O_RDONLY } = fs.constants
/** O_NONBLOCK: opening a FIFO for reading would wait for a writer, and four such waits freeze the process. */
const FLAGS = O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOCTTY ?? 0)
const DELETED = ' (deleted)'
/** A file that is replaced just after it was opened has no name any more; its successor is there to be opened. */
const ATTEMPTS = 10

/**
 * Opens what lies at `path` below the root, if the *opened object* lies below it too: undefined for anything
 * absent, outside, neither file nor directory, or on procfs and its like. The caller closes `fd`.
 *
 * On Linux the object is opened first and asked where it lies, so that no exchange of names between check and
 * use can lead outside. Elsewhere the real path is taken before and after opening and must name the opened
 * object both times; a process that may write below the root can still win that race.
 */
export async function openBeneath(root: FilesRoot, path: string): Promise<Opened | undefined> {
  const absolute = placeOf(root, path)
  try {
    if (!root.procfs) return await openAndCompare(root, absolute, path)
    let opened = ask(root, path, await open(absolute, FLAGS))
    // In one go: while the event loop is busy with others, a file that is replaced again and again is always gone again.
    for (let i = 1; i < ATTEMPTS && opened === 'gone'; i++) opened = ask(root, path, fs.openSync(absolute, FLAGS))
    return opened === 'gone' ? undefined : opened
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw fileFailure(error, root.provider)
  }
}

/** Asks an open file where it lies; closes what is not fit to be read. */
function ask(root: FilesRoot, path: string, fd: number): Opened | 'gone' | undefined {
  let gone = false
  try {
    // Synchronous: an open descriptor's state and name are in memory, and a trip to the thread pool costs 10 microseconds.
    const stat = fs.fstatSync(fd, { bigint: true })
    const self = `/proc/self/fd/${fd}`
    if (isFit(root, stat, self)) {
      const real = fs.readlinkSync(self)
      const inside = relativeWithin(root.real, real, root.style)
      gone = isGone(real, stat)
      if (inside !== undefined && !gone && mayLead(root, inside, path) && !isMangled(real, self))
        return { fd, stat, path: inside, self }
    }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
  fs.closeSync(fd)
  return gone ? 'gone' : undefined
}

/** The kernel marks a name that is gone with a suffix that a real name may also have. */
function isGone(real: string, stat: BigIntStats): boolean {
  if (stat.nlink === 0n) return true
  if (!real.endsWith(DELETED)) return false
  const named = fs.lstatSync(real, { bigint: true, throwIfNoEntry: false })
  return named === undefined || named.ino !== stat.ino || named.dev !== stat.dev
}

/** A name that is not UTF-8 comes back with U+FFFD in it; no rule can be asked about it. */
function isMangled(real: string, self: string): boolean {
  return real.includes('\ufffd') && !isUtf8(fs.readlinkSync(self, { encoding: 'buffer' }))
}

/** An object that lies elsewhere than its path says was come to over a link. */
function mayLead(root: FilesRoot, inside: string, path: string): boolean {
  return root.rules.symlinks === 'within-root' || inside === path
}

async function openAndCompare(root: FilesRoot, absolute: string, path: string): Promise<Opened | undefined> {
  const before = await realpath(absolute)
  const inside = relativeWithin(root.real, before, root.style)
  if (inside === undefined || !mayLead(root, inside, path)) return undefined
  // A file system that overlooks case or composition would answer to names that are not listed.
  if (inside !== path && foldPath(inside) === foldPath(path)) return undefined
  // Asked before opening: there is no harmless way to open a device on every system.
  if (!isFit(root, await statPath(before), before)) return undefined
  const fd = await open(before, FLAGS)
  try {
    const stat = fs.fstatSync(fd, { bigint: true })
    const after = await realpath(absolute)
    const named = await statPath(after)
    if (after === before && named.ino === stat.ino && named.dev === stat.dev && isFit(root, stat, before)) {
      return { fd, stat, path: inside, self: before }
    }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
  fs.closeSync(fd)
  return undefined
}

function isFit(root: FilesRoot, stat: BigIntStats, self: string): boolean {
  if (!stat.isFile() && !stat.isDirectory()) return false
  if (!isServed(root.rules, stat)) return false
  return stat.dev === root.rules.device || !isPseudoFileSystem(self)
}
