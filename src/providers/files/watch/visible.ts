import { closeSync } from 'node:fs'
import type { Call } from '../../../library/index.ts'
import type { FilesContext } from '../context.ts'
import { isAbsence } from '../failures.ts'
import { isReadable, lstat } from '../fs-calls.ts'
import { isServed } from '../object-rules.ts'
import { openAdmitted } from '../open-admitted.ts'
import { nameOf } from '../paths.ts'
import { placeOf } from '../root.ts'

/** What a path is to those who list: a file, a folder that is walked, or nothing. As `lookAt` decides, for one path alone. */
export async function visibleAs(context: FilesContext, path: string, call: Call): Promise<'file' | 'folder' | undefined> {
  if (context.uris.uriOf(path) === undefined) return undefined
  const place = placeOf(context.root, path)
  let stat
  try {
    stat = await lstat(place)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
  if (!isServed(context.root.rules, stat)) return undefined
  if (stat.isDirectory()) {
    return nameOf(path) !== 'node_modules' && (await context.exposure.admits(path, true)) ? 'folder' : undefined
  }
  if (stat.isFile()) {
    if (!(await context.exposure.admits(path, false))) return undefined
    return (stat.mode & 0o444) === 0o444 || (await isReadable(place)) ? 'file' : undefined
  }
  if (!stat.isSymbolicLink()) return undefined
  const target = await openAdmitted(context, path, call)
  if (target === undefined) return undefined
  closeSync(target.fd)
  return target.stat.isFile() ? 'file' : undefined
}
