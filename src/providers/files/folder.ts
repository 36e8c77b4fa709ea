import { closeSync } from 'node:fs'
import type { BigIntStats, Stats } from 'node:fs'
import type { Call } from '../../library/index.ts'
import type { FilesContext } from './context.ts'
import { directoryNames } from './directory-names.ts'
import { isAbsence } from './failures.ts'
import { isReadable, lstat } from './fs-calls.ts'
import { openAdmitted } from './open-admitted.ts'
import { isServed } from './object-rules.ts'
import type { Opened } from './open-beneath.ts'
import type { EntryKind, NameEntry } from './packed-names.ts'
import { joinPath } from './paths.ts'
import { kindOf } from './scan-directory.ts'
import type { DirectoryNames } from './scan-directory.ts'

/**
 * How many entries may be looked at side by side once one of this kind is among them. The thread pool has four threads unless
 * told otherwise; with fewer entries waiting they fall asleep in between, and waking them is a tenth of the cost of a page
 * (1.95 ms with 16, 1.75 with 64 or 256). A link is opened to be looked at, and descriptors are few.
 */
export function abreast(kind: EntryKind): number {
  return kind === 'link' ? 16 : 64
}

/** A served directory, open. */
export interface Folder {
  /** As asked for. */
  readonly path: string
  readonly opened: Opened
  readonly names: DirectoryNames
  /** By name and rules alone, without looking at the entry. */
  admits(name: string, kind: EntryKind): boolean
  close(): void
}

/** An entry that can be read, or a directory. */
export interface Entry {
  readonly path: string
  readonly directory: boolean
  readonly size: number
  readonly modified: number
}

/**
 * Opens a directory and reads its names; undefined if it is not a directory that is served. For a `further` page, which goes
 * on within the directory, names may have been read a while ago.
 */
export async function openFolder(context: FilesContext, path: string, call: Call, further: boolean): Promise<Folder | undefined> {
  const opened = await openAdmitted(context, path, call)
  if (opened === undefined) return undefined
  const close = () => closeSync(opened.fd)
  try {
    if (opened.stat.isDirectory()) {
      const asked = await context.exposure.inFolder(path)
      const real = opened.path === path ? asked : await context.exposure.inFolder(opened.path)
      const names = await directoryNames(opened, further)
      const admits = (name: string, kind: EntryKind) => {
        const directory = kind === 'directory'
        if (directory && name === 'node_modules') return false
        return asked(name, directory) && (real === asked || real(name, directory))
      }
      return { path, opened, names, admits, close }
    }
  } catch (error) {
    close()
    // Removed since it was opened.
    if (isAbsence(error)) return undefined
    throw error
  }
  close()
  return undefined
}

/**
 * What is known of one entry without reading it; undefined if it vanished, cannot be read, is no regular file, or is
 * a link to anything but a served file. Links to directories are not followed, so no walk can go in circles.
 */
export async function lookAt(
  context: FilesContext,
  folder: Folder,
  { name, kind }: NameEntry,
  call: Call,
): Promise<Entry | undefined> {
  const path = joinPath(folder.path, name)
  if (context.uris.uriOf(path) === undefined) return undefined
  const self = `${folder.opened.self}/${name}`
  let stat: Stats
  try {
    stat = await lstat(self)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
  const actual = kindOf(stat)
  if (actual === undefined || !isServed(context.root.rules, stat)) return undefined
  // Something else than when the names were read is under other rules.
  if (actual !== kind && !folder.admits(name, actual)) return undefined
  if (actual === 'directory') return { path, directory: true, size: 0, modified: stat.mtimeMs }
  if (actual === 'file') {
    if ((stat.mode & 0o444) !== 0o444 && !(await isReadable(self))) return undefined
    return { path, directory: false, size: stat.size, modified: stat.mtimeMs }
  }
  const target = await openAdmitted(context, path, call)
  if (target === undefined) return undefined
  closeSync(target.fd)
  return target.stat.isFile() ? entryOf(path, target.stat) : undefined
}

/** What is known of an open file or directory. */
export function entryOf(path: string, stat: BigIntStats): Entry {
  const modified = Number(stat.mtimeNs / 1_000_000n)
  return { path, directory: stat.isDirectory(), size: Number(stat.size), modified }
}
