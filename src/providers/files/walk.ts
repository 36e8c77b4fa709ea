import type { Call } from '../../library/index.ts'
import { throwIfAborted } from './abort.ts'
import type { FilesContext } from './context.ts'
import { abreast, lookAt, openFolder } from './folder.ts'
import type { Entry, Folder } from './folder.ts'
import type { Omissions } from './notices.ts'
import type { NameEntry } from './packed-names.ts'
import { joinPath } from './paths.ts'
import { NAMES_A_TURN, turnFor } from './turn.ts'

/** The most folders below each other that a list goes into. */
export const MAX_DEPTH = 32

/** What a walk came across. */
export interface Walked {
  readonly found: readonly Entry[]
  /** Whether another file follows. */
  readonly more: boolean
  readonly rootMissing: boolean
}

/**
 * The first `limit` files after the path `after`, in the order of their paths part by part, so that a position is a
 * path and a walk goes on there whatever was added or removed meanwhile. Only the folders on the way are opened.
 */
export async function walkFiles(
  context: FilesContext,
  call: Call,
  options: { readonly after: readonly string[]; readonly limit: number; readonly omissions: Omissions },
): Promise<Walked> {
  const { limit, omissions } = options
  const found: Entry[] = []
  const wanted = limit + 1
  const { signal } = call
  const later: (() => void)[] = []

  /** What is met between the last file of a page and the next one, the next page meets again, and says. */
  const note = (say: () => void) => {
    if (found.length < limit) say()
    else later.push(say)
  }

  const visit = async (path: string, after: readonly string[], depth: number): Promise<boolean> => {
    throwIfAborted(signal)
    const folder = await openFolder(context, path, call, after.length > 0)
    if (folder === undefined) return false
    try {
      // A name that led elsewhere since it was read: its real place has its own turn.
      if (folder.opened.path === path) await enter(folder, after, depth)
    } finally {
      folder.close()
    }
    return true
  }

  const enter = async (folder: Folder, after: readonly string[], depth: number): Promise<void> => {
    const { names } = folder
    const [first, ...rest] = after
    if (first === undefined) note(() => omissions.count(names))
    let run: NameEntry[] = []
    const flush = async () => {
      throwIfAborted(signal)
      const entries = await Promise.all(run.map((entry) => lookAt(context, folder, entry, call)))
      for (const entry of entries) if (entry !== undefined && !entry.directory) found.push(entry)
      run = []
    }
    for (let i = first === undefined ? 0 : names.find(first); i < names.length && found.length < wanted; i++) {
      if (i % NAMES_A_TURN === NAMES_A_TURN - 1) await turnFor(signal)
      const entry = names.at(i)
      if (entry === undefined) break
      const { name, kind } = entry
      const onTheWay = name === first
      if (!folder.admits(name, kind)) continue
      if (kind === 'directory') {
        if (run.length > 0) await flush()
        if (found.length >= wanted) break
        const path = joinPath(folder.path, name)
        if (depth === MAX_DEPTH) note(() => omissions.tooDeep())
        else await visit(path, onTheWay ? rest : [], depth + 1)
      } else if (!onTheWay) {
        run.push(entry)
        if (run.length >= Math.min(abreast(kind), wanted - found.length)) await flush()
      }
    }
    if (run.length > 0) await flush()
  }

  const rootMissing = !(await visit('', options.after, 0))
  const more = found.length > limit
  if (!more) for (const say of later) say()
  return { found: more ? found.slice(0, limit) : found, more, rootMissing }
}
