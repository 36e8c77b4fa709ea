import type { ResourceTemplate } from '../../protocol/index.ts'
import type { FilesContext } from './context.ts'

/** The one template of a root: any file below it. */
export function templateOf(context: FilesContext): ResourceTemplate {
  return {
    uriTemplate: `${context.uris.root}/{+path}`,
    name: context.root.name,
    description: 'A file below this folder, by its path',
  }
}
