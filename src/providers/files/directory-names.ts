import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { readdir, readdirBytes, readLargeDirectory } from './fs-calls.ts'
import type { Opened } from './open-beneath.ts'
import { isPlainName } from './path-uri.ts'
import { changedAt } from './version.ts'

/** What a name stands for; everything else (FIFO, socket, device) is not kept. */
export type EntryKind = 'file' | 'directory' | 'link'

export interface NameEntry {
  readonly name: string
  readonly kind: EntryKind
}

/** The names in one directory that can have URIs, in the order of their UTF-16 code units. */
export interface DirectoryNames {
  readonly length: number
  at(index: number): NameEntry | undefined
  /** The first index whose name is not before `name`. */
  find(name: string): number
  /** Names that are not UTF-8. */
  readonly undecodable: number
  /** Names with a backslash or a control character, which no URI of ours may hold. */
  readonly refused: number
}

/** The most bytes that remembered names may take, over all roots of this process. */
const BUDGET = 32 * 1024 * 1024
/** A directory that changed this shortly before it was read may have changed again since without its times showing it. */
const SETTLED_MS = 2_000
/** Bytes of a directory itself, about 40 an entry on most file systems. */
const LARGE = 64 * 1024
const KINDS = ['directory', 'file', 'link'] as const

interface Remembered {
  readonly names: DirectoryNames
  readonly signature: string
  readonly bytes: number
}

const remembered = new Map<string, Remembered>()
let total = 0

/**
 * The sorted names of an open directory. Sorted paging needs all of them, so a few directories' names are
 * remembered (least recently used go first) and trusted as long as the directory's times, inode and device are the
 * same; names read within two seconds of the directory's last change are used once and not remembered.
 */
export async function directoryNames(opened: Opened): Promise<DirectoryNames> {
  const { stat } = opened
  const key = `${stat.dev}:${stat.ino}`
  const signature = `${stat.mtimeNs}:${stat.ctimeNs}`
  const known = remembered.get(key)
  if (known !== undefined) {
    remembered.delete(key)
    if (known.signature === signature) {
      remembered.set(key, known)
      return known.names
    }
    total -= known.bytes
  }
  const begun = Date.now()
  const { names, bytes } = await scan(opened)
  const changed = Number(changedAt(stat) / 1_000_000n)
  if (begun - changed > SETTLED_MS && bytes <= BUDGET && !remembered.has(key)) {
    remembered.set(key, { names, signature, bytes })
    total += bytes
    for (const [oldest, { bytes: freed }] of remembered) {
      if (total <= BUDGET) break
      remembered.delete(oldest)
      total -= freed
    }
  }
  return names
}

async function scan(opened: Opened): Promise<{ names: DirectoryNames; bytes: number }> {
  const entries = await (opened.stat.size > LARGE ? readLargeDirectory(opened.self) : readdir(opened.self))
  // A name that is not UTF-8 comes as U+FFFD; only then is the slower reading of bytes worth its while.
  const exact = entries.some((entry) => entry.name.includes('\ufffd')) ? await readdirBytes(opened.self) : undefined
  const sorted: string[] = []
  let undecodable = 0
  let refused = 0
  let bytes = 0
  const take = (name: string, entry: Dirent) => {
    const kind = entry.isFile() ? 1 : entry.isDirectory() ? 0 : entry.isSymbolicLink() ? 2 : undefined
    if (kind === undefined) return
    if (isPlainName(name)) {
      // The kind rides behind a NUL, which sorts before anything a name may hold: one native sort, no objects.
      bytes += 2 * name.length + 32
      sorted.push(`${name}\0${kind}`)
    } else refused++
  }
  if (exact === undefined) for (const entry of entries) take(entry.name, entry)
  else {
    for (const { name, entry } of exact) {
      if (isUtf8(name)) take(name.toString('utf8'), entry)
      else undecodable++
    }
  }
  return { names: namesFrom(sorted.toSorted(), undecodable, refused), bytes }
}

function namesFrom(sorted: readonly string[], undecodable: number, refused: number): DirectoryNames {
  return {
    length: sorted.length,
    undecodable,
    refused,
    at(index) {
      const entry = sorted[index]
      return entry === undefined ? undefined : { name: entry.slice(0, -2), kind: KINDS[Number(entry.at(-1))] ?? 'file' }
    },
    find(name) {
      let low = 0
      let high = sorted.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((sorted[middle] ?? '').slice(0, -2) < name) low = middle + 1
        else high = middle
      }
      return low
    },
  }
}
