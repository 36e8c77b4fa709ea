import { typeByName } from '../../media/index.ts'
import { DIRECTORY_TYPE } from '../../protocol/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { FilesContext } from './context.ts'
import type { Entry } from './folder.ts'
import { nameOf } from './paths.ts'

/** An entry as it is listed: by name, without a look at its body. */
export function resourceOf(context: FilesContext, entry: Entry): Resource {
  const uri = context.uris.uriOf(entry.path) ?? ''
  const name = entry.path === '' ? context.root.name : nameOf(entry.path)
  const annotations = { lastModified: new Date(entry.modified).toISOString() }
  if (entry.directory) return { uri, name, mimeType: DIRECTORY_TYPE, annotations }
  const mimeType = typeByName(name)
  return mimeType === undefined
    ? { uri, name, size: entry.size, annotations }
    : { uri, name, mimeType, size: entry.size, annotations }
}
