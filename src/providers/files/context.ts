import type { Exposure } from './exposure.ts'
import type { PathUris } from './path-uri.ts'
import type { FilesRoot } from './root.ts'

/** What every operation of one provider needs. */
export interface FilesContext {
  readonly root: FilesRoot
  readonly uris: PathUris
  readonly exposure: Exposure
}
