import type { BigIntStats } from 'node:fs'
import { localCall } from '../../../library/index.ts'
import type { Call } from '../../../library/index.ts'
import type { FilesContext } from '../context.ts'
import { isAbsence } from '../failures.ts'
import { lookAt, openFolder } from '../folder.ts'
import { needsLook } from '../object-rules.ts'
import { stat } from '../fs-calls.ts'
import { joinPath, nameOf, parentOf } from '../paths.ts'
import { placeOf } from '../root.ts'
import { isSettled } from '../version.ts'
import { MAX_DEPTH } from '../walk.ts'
import type { NameSet } from './name-set.ts'
import { NO_NAMES, nameSet, sameNames, withName } from './name-set.ts'
import { visibleAs } from './visible.ts'

/** With more names of one folder to look at, reading the folder costs less. */
const FEW = 64

/** What is listed of one folder. */
interface FolderNames {
  files: NameSet
  readonly folders: Set<string>
  /** Which folder of the disk it is: another one may take its place. */
  readonly identity: string
  /** Its state when its names were read; they are read again when it has another. Empty if it may change unseen. */
  state: string
  /** The rules of ignore files that its names were read by. */
  readonly rules: unknown
}

/** Told of folders before they are read, and of those that are gone. */
export interface FolderFollower {
  appeared(path: string): void
  gone(path: string): void
  /** Whether the folder that stood at a path when it appeared may be another one now. */
  hasLeft(path: string): boolean
}

/** What looks found since it was last told. */
export interface TreeChange {
  /** What was listed of those folders in which files came or went. */
  readonly before: Map<string, NameSet>
  /** How often a look found something else than the one before. */
  moves: number
}

/** Which files a root lists, in 8 bytes each: to tell a change of the set from a change of contents. */
export class TreeNames {
  readonly #context: FilesContext
  readonly #folders = new Map<string, FolderNames>()
  readonly #call: Call = localCall()
  readonly #follow: FolderFollower

  constructor(context: FilesContext, follow: FolderFollower) {
    this.#context = context
    this.#follow = follow
  }

  /** The folders that are known. */
  folders(): readonly string[] {
    return [...this.#folders.keys()]
  }

  /** Device and inode of the root that was read last; undefined if there was none. */
  get rootIdentity(): string | undefined {
    return this.#folders.get('')?.identity
  }

  /** The folders of which something else is listed now than before. */
  changed({ before }: TreeChange): readonly string[] {
    return [...before]
      .filter(([folder, files]) => !sameNames(files, this.#folders.get(folder)?.files ?? NO_NAMES))
      .map(([folder]) => folder)
  }

  /** Reads everything for the first time. */
  async fill(): Promise<void> {
    await this.#read('', noChange())
  }

  /** Looks at entries of folders again, known or not; gives the folders on the way that were replaced or are gone. */
  async look(names: ReadonlyMap<string, ReadonlySet<string>>, change: TreeChange): Promise<ReadonlySet<string>> {
    const seen = new Set<string>()
    const replaced = new Set<string>()
    for (const [folder, some] of names) {
      await this.#attempt(folder, async () => {
        // Hints name what was in the old one, so that the new one is read whole.
        for (const path of waysTo(folder)) {
          if (seen.has(path) || !this.#folders.has(path)) continue
          seen.add(path)
          if (!(await this.#isOther(path))) continue
          replaced.add(path)
          await this.#read(path, change)
        }
        await this.#lookAt(folder, some, change)
      })
    }
    return replaced
  }

  /** Reads those folders again that are not in the state they were in, or have other rules. */
  async reconcile(change: TreeChange): Promise<void> {
    const paths = [...this.#folders.keys()]
    // What is found below a folder that changed is read, or gone, on the way.
    for (const path of paths) {
      if (this.#folders.has(path)) await this.#attempt(path, () => this.#readIfChanged(path, change))
    }
    if (!this.#folders.has('')) await this.#attempt('', () => this.#read('', change))
  }

  /** A folder that the file system fails on is as it was, costs the others nothing, and is read again. */
  async #attempt(folder: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch {
      const known = this.#folders.get(folder)
      if (known !== undefined) known.state = ''
    }
  }

  /** Whether another folder stands at a path than was there when it was read. */
  async #isOther(path: string): Promise<boolean> {
    const now = await stateOf(this.#context, path)
    return now?.identity !== this.#folders.get(path)?.identity || this.#follow.hasLeft(path)
  }

  async #lookAt(folder: string, names: ReadonlySet<string>, change: TreeChange): Promise<void> {
    const known = this.#folders.get(folder)
    if (known === undefined) return this.#lookAbove(folder, change)
    if (names.size > FEW) return this.#read(folder, change)
    for (const name of names) await this.#lookAtName(folder, known, name, change)
  }

  async #lookAtName(folder: string, known: FolderNames, name: string, change: TreeChange): Promise<void> {
    const path = joinPath(folder, name)
    const seen = await visibleAs(this.#context, path, this.#call)
    if (seen === 'folder') {
      known.folders.add(name)
      await this.#read(path, change)
    } else if (known.folders.has(name)) this.#drop(path, change)
    const files = withName(known.files, name, seen === 'file')
    if (files === known.files) return
    note(change, folder, known.files, files)
    known.files = files
  }

  /** A name in a folder that is not known: something above it came, or is not listed. */
  async #lookAbove(folder: string, change: TreeChange): Promise<void> {
    let path = folder
    while (path !== '' && !this.#folders.has(parentOf(path))) path = parentOf(path)
    if (path === '') return this.#read('', change)
    return this.#lookAt(parentOf(path), new Set([nameOf(path)]), change)
  }

  async #readIfChanged(path: string, change: TreeChange): Promise<void> {
    const known = this.#folders.get(path)
    const now = await stateOf(this.#context, path)
    if (now === undefined) this.#drop(path, change)
    else if (
      known === undefined ||
      now.identity !== known.identity ||
      this.#follow.hasLeft(path) ||
      now.state !== known.state ||
      now.state === '' ||
      (await this.#context.exposure.rulesOf(path)) !== known.rules
    ) {
      await this.#read(path, change)
    }
  }

  /** Reads a folder and those below it that are new. */
  async #read(path: string, change: TreeChange): Promise<void> {
    if (path !== '' && path.split('/').length > MAX_DEPTH) return
    // Before the names are read, so that none that comes meanwhile is missed.
    const isOther = await this.#isOther(path)
    if (isOther) this.#follow.appeared(path)
    const rules = await this.#context.exposure.rulesOf(path)
    const folder = await openFolder(this.#context, path, this.#call, false)
    if (folder === undefined) return this.#drop(path, change)
    const careful = needsLook(this.#context.root.rules)
    const names: string[] = []
    const folders = new Set<string>()
    try {
      if (folder.opened.path !== path) return this.#drop(path, change)
      for (let i = 0; i < folder.names.length; i++) {
        const entry = folder.names.at(i)
        if (entry === undefined || !folder.admits(entry.name, entry.kind)) continue
        if (entry.kind === 'directory') folders.add(entry.name)
        else if ((entry.kind === 'file' && !careful) || (await lookAt(this.#context, folder, entry, this.#call)) !== undefined)
          names.push(entry.name)
      }
    } finally {
      folder.close()
    }
    await this.#replace(path, { files: nameSet(names), folders, rules, ...folderState(folder.opened.stat) }, isOther, change)
  }

  /** @param isOther whether it is another folder, so that nothing is known of those below it */
  async #replace(path: string, next: FolderNames, isOther: boolean, change: TreeChange): Promise<void> {
    const known = this.#folders.get(path)
    this.#folders.set(path, next)
    note(change, path, known?.files ?? NO_NAMES, next.files)
    for (const name of known?.folders ?? []) if (!next.folders.has(name)) this.#drop(joinPath(path, name), change)
    for (const name of next.folders) {
      const below = joinPath(path, name)
      if (!isOther && this.#folders.has(below)) continue
      await this.#read(below, change)
    }
  }

  #drop(path: string, change: TreeChange): void {
    const known = this.#folders.get(path)
    if (known === undefined) return
    this.#folders.delete(path)
    this.#follow.gone(path)
    this.#folders.get(parentOf(path))?.folders.delete(nameOf(path))
    note(change, path, known.files, NO_NAMES)
    for (const name of known.folders) this.#drop(joinPath(path, name), change)
  }
}

/** The folders that lead to a path, and itself, from the root on. */
function waysTo(path: string): readonly string[] {
  const ways = ['']
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) ways.push(path.slice(0, end))
  return path === '' ? ways : [...ways, path]
}

async function stateOf(context: FilesContext, path: string): Promise<ReturnType<typeof folderState> | undefined> {
  try {
    const found = await stat(placeOf(context.root, path))
    return found.isDirectory() ? folderState(found) : undefined
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

function folderState(found: BigIntStats): { readonly identity: string; readonly state: string } {
  const state = isSettled(found, Date.now()) ? `${found.mtimeNs}:${found.ctimeNs}` : ''
  return { identity: `${found.dev}:${found.ino}`, state }
}

export function noChange(): TreeChange {
  return { before: new Map(), moves: 0 }
}

/** Remembers what was listed of a folder, if something else is listed now. */
function note(change: TreeChange, folder: string, files: NameSet, now: NameSet): void {
  if (sameNames(files, now)) return
  change.moves++
  if (!change.before.has(folder)) change.before.set(folder, files)
}
