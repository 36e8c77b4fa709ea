import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { UsageError } from '../output.ts'

/**
 * A file that is written, or secret, is not to be served. An audit inside a folder that is served would be served itself, and
 * each of its lines would be a change to tell of, which hosts answer with a read, which writes a line.
 *
 * @throws UsageError naming both
 */
export function refuseServed(what: string, path: string, folders: readonly string[]): void {
  // Where it is named, and where a link there leads.
  const files = [join(realPath(dirname(path)), basename(path)), realPath(path)]
  for (const folder of folders) {
    if (!files.some((file) => isInside(file, realPath(folder)))) continue
    throw new UsageError(
      `${what} ${JSON.stringify(path)} is inside of ${JSON.stringify(folder)}, which is served: name a file elsewhere`,
    )
  }
}

function isInside(file: string, folder: string): boolean {
  const way = relative(folder, file)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Where a path leads, or the path where it leads nowhere: whoever opens it says so. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
