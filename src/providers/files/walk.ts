import type { Call } from '../../library/index.ts'
import { throwIfAborted } from './abort.ts'
import type { FilesContext } from './context.ts'
import { ABREAST, lookAt, openFolder } from './folder.ts'
import type { Entry, Folder } from './folder.ts'
import type { Omissions } from './notices.ts'
import { joinPath } from './paths.ts'

/** The most folders below each other that a list goes into. */
const MAX_DEPTH = 32

/**
 * The first `wanted` files after the path `after`, in the order of their paths part by part, so that a position is a
 * path and a walk goes on there whatever was added or removed meanwhile. Only the folders on the way are opened.
 */
export async function walkFiles(
  context: FilesContext,
  call: Call,
  options: { readonly after: readonly string[]; readonly wanted: number; readonly omissions: Omissions },
): Promise<{ readonly found: readonly Entry[]; readonly rootMissing: boolean }> {
  const found: Entry[] = []
  const { signal } = call

  const visit = async (path: string, after: readonly string[], depth: number): Promise<boolean> => {
    throwIfAborted(signal)
    const folder = await openFolder(context, path, call)
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
    if (first === undefined) options.omissions.count(names)
    let run: string[] = []
    const flush = async () => {
      throwIfAborted(signal)
      const entries = await Promise.all(run.map((name) => lookAt(context, folder, name, call)))
      for (const entry of entries) if (entry !== undefined && !entry.directory) found.push(entry)
      run = []
    }
    for (let i = first === undefined ? 0 : names.find(first); i < names.length && found.length < options.wanted; i++) {
      const entry = names.at(i)
      if (entry === undefined) break
      const { name, kind } = entry
      const onTheWay = name === first
      if (!folder.admits(name, kind)) continue
      if (kind === 'directory') {
        if (run.length > 0) await flush()
        if (found.length >= options.wanted) break
        const path = joinPath(folder.path, name)
        if (depth === MAX_DEPTH) options.omissions.tooDeep()
        else await visit(path, onTheWay ? rest : [], depth + 1)
      } else if (!onTheWay) {
        run.push(name)
        if (run.length >= Math.min(ABREAST, options.wanted - found.length)) await flush()
      }
    }
    if (run.length > 0) await flush()
  }

  const rootMissing = !(await visit('', options.after, 0))
  return { found: found.slice(0, options.wanted), rootMissing }
}
