import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { isAbsence } from './failures.ts'
import { open, read } from './fs-calls.ts'
import { matchesPattern, parseIgnoreFile } from './gitignore-pattern.ts'
import type { IgnorePattern } from './gitignore-pattern.ts'
import { nameOf, parentOf } from './paths.ts'
import { placeOf } from './root.ts'
import type { FilesRoot } from './root.ts'

/** The rules that hold for what stands directly in one folder. */
export interface FolderRules {
  /** Whether the folder itself is left out, and with it all that is in it. */
  readonly excluded: boolean
  /** Whether an entry of this folder is left out. */
  excludes(name: string, directory: boolean): boolean
}

/** All ignore files that concern one root. */
export interface IgnoreRules {
  /**
   * The rules of a folder. A changed ignore file is noticed within a second: looking at each one on each read
   * would cost more than the read.
   */
  of(folder: string): FolderRules | Promise<FolderRules>
  /** Trusts nothing that was read before now. */
  refresh(): void
}

interface Level {
  /** How many parts the path of the ignore file's folder has, seen from the top. */
  readonly depth: number
  readonly patterns: readonly IgnorePattern[]
}

interface Node extends FolderRules {
  readonly parts: readonly string[]
  readonly levels: readonly Level[]
  readonly signature: string
  readonly parent: Node | undefined
  checked: number
}

/** The most bytes of an ignore file that are looked at; each name below is compared with each of its lines. */
const MAX_BYTES = 128 * 1024
const MAX_FOLDERS = 4_096
const TRUST_MS = 1_000
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0)

/**
 * The rules of the `.gitignore` files in every folder from the top of the repository that holds the root (or from
 * the root, outside any) down, and of `.git/info/exclude`. The deepest file that speaks of an entry decides, the last
 * line in it first; what lies in an excluded folder stays out. When the rules above the root leave out the root
 * itself, it was named on purpose, and only its own files count.
 */
export function createIgnoreRules(root: FilesRoot, clock: () => number = () => performance.now()): IgnoreRules {
  const top = repositoryTop(root.real)
  const nodes = new Map<string, Node>()

  const load = async (folder: string): Promise<Node> => {
    const known = nodes.get(folder)
    const now = clock()
    const parent = folder === '' ? await above() : await nodeOf(parentOf(folder))
    const file = `${placeOf(root, folder)}/.gitignore`
    const node = await nodeFrom(known, parent, folder === '' ? undefined : nameOf(folder), file)
    node.checked = now
    nodes.delete(folder)
    nodes.set(folder, node)
    if (nodes.size > MAX_FOLDERS) for (const oldest of nodes.keys()) if (nodes.delete(oldest)) break
    return node
  }

  const nodeOf = (folder: string): Node | Promise<Node> => {
    const known = nodes.get(folder)
    return known !== undefined && clock() - known.checked < TRUST_MS ? known : load(folder)
  }

  /** The node that the root's own is made from: empty, or what holds for the root's place in its repository. */
  let lastAbove: readonly Node[] = []
  const above = async (): Promise<Node> => {
    if (top === undefined) return EMPTY
    const chain: Node[] = [await nodeFrom(lastAbove[0], EMPTY, undefined, join(top, '.git', 'info', 'exclude'))]
    const names = root.real
      .slice(top.length)
      .split(/[\\/]/)
      .filter((name) => name !== '')
    let folder = top
    for (const [i, name] of names.entries()) {
      const holder = await nodeFrom(lastAbove[2 * i + 1], chain.at(-1) ?? EMPTY, undefined, join(folder, '.gitignore'))
      chain.push(holder, await nodeFrom(lastAbove[2 * i + 2], holder, name, undefined))
      folder = join(folder, name)
    }
    lastAbove = chain
    const last = chain.at(-1) ?? EMPTY
    return last.excluded ? EMPTY : last
  }

  const refresh = () => {
    for (const node of nodes.values()) node.checked = Number.NEGATIVE_INFINITY
  }
  return { of: nodeOf, refresh }
}

const EMPTY: Node = makeNode([], [], false, '', undefined)

/** The node of `name` in `parent`, or of `parent`'s own folder again with one more file; the known one if nothing changed. */
async function nodeFrom(
  known: Node | undefined,
  parent: Node,
  name: string | undefined,
  file: string | undefined,
): Promise<Node> {
  const text = file === undefined ? undefined : await readIgnoreFile(file, known?.signature)
  const signature = text?.signature ?? ''
  if (known !== undefined && known.parent === parent && known.signature === signature) return known
  const parts = name === undefined ? parent.parts : [...parent.parts, name]
  const excluded = parent.excluded || (name !== undefined && parent.excludes(name, true))
  const patterns = text?.patterns ?? (known?.signature === signature ? known.levels.at(-1)?.patterns : undefined) ?? []
  const levels = signature === '' ? parent.levels : [...parent.levels, { depth: parts.length, patterns }]
  return makeNode(parts, levels, excluded, signature, parent)
}

function makeNode(parts: readonly string[], levels: readonly Level[], excluded: boolean, signature: string, parent?: Node): Node {
  return {
    parts,
    levels,
    excluded,
    signature,
    parent,
    checked: Number.NEGATIVE_INFINITY,
    excludes(name, directory) {
      if (levels.length === 0) return false
      const path = [...parts, name]
      for (let i = levels.length - 1; i >= 0; i--) {
        const level = levels[i]
        if (level === undefined) continue
        for (let j = level.patterns.length - 1; j >= 0; j--) {
          const pattern = level.patterns[j]
          if (pattern !== undefined && matchesPattern(pattern, path, level.depth, directory)) return !pattern.negated
        }
      }
      return false
    },
  }
}

/** An ignore file's lines; only its signature when that is `known`; undefined when there is none. Links are not followed. */
async function readIgnoreFile(
  file: string,
  known: string | undefined,
): Promise<{ signature: string; patterns?: readonly IgnorePattern[] } | undefined> {
  let fd
  try {
    fd = await open(file, FLAGS)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
  try {
    const stat = fs.fstatSync(fd, { bigint: true })
    if (!stat.isFile()) return undefined
    const signature = `${stat.mtimeNs}-${stat.ctimeNs}-${stat.size}-${stat.ino}`
    if (signature === known) return { signature }
    const bytes = Buffer.alloc(stat.size < MAX_BYTES ? Number(stat.size) : MAX_BYTES)
    const length = await read(fd, bytes, 0, bytes.length, 0)
    return { signature, patterns: parseIgnoreFile(bytes.toString('utf8', 0, length)) }
  } finally {
    fs.closeSync(fd)
  }
}

/** The nearest folder at or above `real` that holds `.git`. */
function repositoryTop(real: string): string | undefined {
  for (let folder = real; ; folder = dirname(folder)) {
    if (fs.existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}
