import { isUtf8 } from 'node:buffer'
import type { Dirent, Stats } from 'node:fs'
import { isAbsence } from './failures.ts'
import { eachEntry, lstat, readdir, readNames } from './fs-calls.ts'
import type { Opened } from './open-beneath.ts'
import { PackedNames } from './packed-names.ts'
import type { EntryKind, NameEntry } from './packed-names.ts'
import { isPlainName } from './path-uri.ts'

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
  /** More names than are held, so that none is. */
  readonly tooMany: boolean
  /** What they take in memory. */
  readonly bytes: number
}

/** Bytes of a directory itself, about 40 an entry on most file systems. */
const LARGE = 64 * 1024
/** How many names are looked at side by side where the file system does not say what they stand for. */
const ABREAST = 16

/** Reads and sorts the names of an open directory. */
export async function scanDirectory(opened: Opened): Promise<DirectoryNames> {
  let sieve = createSieve()
  try {
    if (opened.stat.size > LARGE) await eachEntry(opened.self, (entry) => sieve.take(entry.name, entry))
    else for (const entry of await readdir(opened.self)) sieve.take(entry.name, entry)
  } catch (error) {
    if (!isAbsence(error)) throw error
    // Where the file system does not tell kinds, Node asks by name: by one that is not there if it is not ASCII or just went.
    sieve = createSieve()
    await takeUntyped(opened.self, sieve)
  }
  return sieve.finish()
}

interface Sieve {
  /** False if there is room for no more. */
  take(name: string, kind: Dirent | Stats): boolean
  finish(): Promise<DirectoryNames>
}

function createSieve(): Sieve {
  let packed = new PackedNames()
  let tooMany = false
  let undecodable = 0
  let refused = 0
  return {
    take(name, entry) {
      const kind = kindOf(entry)
      if (kind === undefined) return true
      const decoded = decodedName(name)
      if (decoded === undefined) undecodable++
      else if (!isPlainName(decoded)) refused++
      else if (!packed.add(name, kind)) tooMany = true
      return !tooMany
    },
    async finish() {
      if (tooMany) packed = new PackedNames()
      await packed.order()
      const { length, bytes } = packed
      return { length, at: (i) => packed.at(i), find: (name) => packed.find(name), undecodable, refused, tooMany, bytes }
    },
  }
}

/** What a name stands for; undefined for what is never served. */
export function kindOf(entry: Dirent | Stats): EntryKind | undefined {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : undefined
}

/** A name that came as bytes, a character each; undefined if they are not UTF-8. */
function decodedName(bytes: string): string | undefined {
  if (!/[\x80-\xff]/.test(bytes)) return bytes
  const buffer = Buffer.from(bytes, 'latin1')
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined
}

/** Asks for the kind of each name by its bytes. */
async function takeUntyped(directory: string, sieve: Sieve): Promise<void> {
  const names = await readNames(directory)
  const folder = Buffer.from(`${directory}/`)
  const look = async (name: string) => {
    try {
      return await lstat(Buffer.concat([folder, Buffer.from(name, 'latin1')]))
    } catch (error) {
      if (isAbsence(error)) return undefined
      throw error
    }
  }
  for (let i = 0; i < names.length; i += ABREAST) {
    const run = names.slice(i, i + ABREAST)
    for (const [at, stat] of (await Promise.all(run.map(look))).entries()) {
      if (stat !== undefined && !sieve.take(run[at] as string, stat)) return
    }
  }
}
