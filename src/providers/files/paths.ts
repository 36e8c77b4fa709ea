/** Paths below a root: parts joined by `/`, empty for the root itself. */

/** The path of an entry of a folder. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The folder that an entry stands in. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

/** The last part: an entry's own name. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
