import { closeSync } from 'node:fs'
import type { BigIntStats, Stats } from 'node:fs'
import type { Call } from '../../library/index.ts'
import type { FilesContext } from './context.ts'
import { directoryNames } from './directory-names.ts'
import type { DirectoryNames, EntryKind } from './directory-names.ts'
import { isAbsence } from './failures.ts'
import { isReadable, lstat } from './fs-calls.ts'
import { openAdmitted } from './open-admitted.ts'
import type { Opened } from './open-beneath.ts'
import { joinPath } from './paths.ts'

/** How many entries are looked at side by side; the thread pool has four threads unless told otherwise. */
export const ABREAST = 16

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

/** Opens a directory and reads its names; undefined if it is not a directory that is served. */
export async function openFolder(context: FilesContext, path: string, call: Call): Promise<Folder | undefined> {
  const opened = await openAdmitted(context, path, call)
  if (opened === undefined) return undefined
  const close = () => closeSync(opened.fd)
  try {
    if (opened.stat.isDirectory()) {
      const asked = await context.exposure.inFolder(path)
      const real = opened.path === path ? asked : await context.exposure.inFolder(opened.path)
      const names = await directoryNames(opened)
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
export async function lookAt(context: FilesContext, folder: Folder, name: string, call: Call): Promise<Entry | undefined> {
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
  if (stat.isDirectory()) return { path, directory: true, size: 0, modified: stat.mtimeMs }
  if (stat.isFile()) {
    if ((stat.mode & 0o444) !== 0o444 && !(await isReadable(self))) return undefined
    return { path, directory: false, size: stat.size, modified: stat.mtimeMs }
  }
  if (!stat.isSymbolicLink()) return undefined
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
