import { closeSync } from 'node:fs'
import type { Call } from '../../library/index.ts'
import type { FilesContext } from './context.ts'
import { openBeneath } from './open-beneath.ts'
import type { Opened } from './open-beneath.ts'

/**
 * Opens what lies at `path` if it is served: both the path asked for and the place where the object really lies
 * must be admitted, and the caller must be allowed to read the latter. Undefined for anything else. The caller
 * closes `fd`.
 */
export async function openAdmitted(context: FilesContext, path: string, call: Call): Promise<Opened | undefined> {
  // Before anything is touched. The stricter rule for files follows when the kind is known.
  if (!context.exposure.shows(path, true) && !context.exposure.shows(path, false)) return undefined
  const opened = await openBeneath(context.root, path)
  if (opened === undefined) return undefined
  let admitted = false
  try {
    const directory = opened.stat.isDirectory()
    const asked = context.exposure.admits(path, directory)
    admitted = typeof asked === 'boolean' ? asked : await asked
    if (admitted && opened.path !== path) {
      const uri = context.uris.uriOf(opened.path)
      admitted =
        uri !== undefined &&
        (await context.exposure.admits(opened.path, directory)) &&
        call.allows(directory ? 'children' : 'read', uri)
    }
    return admitted ? opened : undefined
  } finally {
    if (!admitted) closeSync(opened.fd)
  }
}
