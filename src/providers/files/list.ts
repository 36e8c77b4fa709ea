import { ShelfError } from '../../errors.ts'
import { pageOf } from '../../library/index.ts'
import type { Call, Page, PageRequest } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { FilesContext } from './context.ts'
import { createOmissions } from './notices.ts'
import { resourceOf } from './resource.ts'
import { walkFiles } from './walk.ts'

/** A page of all files. A position is the path of the page's last file. */
export async function listFiles(context: FilesContext, request: PageRequest, call: Call): Promise<Page<Resource>> {
  const after = request.after ?? ''
  if (typeof after !== 'string') throw new ShelfError('invalid-cursor', 'Wanted a path as position', {})
  const omissions = createOmissions(context.root.provider)
  const { found, more, rootMissing } = await walkFiles(context, call, {
    after: after === '' ? [] : after.split('/'),
    limit: request.limit,
    omissions,
  })
  if (rootMissing) {
    const provider = context.root.provider
    throw new ShelfError('unavailable', `The folder behind ${provider} cannot be read now`, { provider })
  }
  const items = found.map((entry) => resourceOf(context, entry))
  return pageOf(items, more ? found.at(-1)?.path : undefined, omissions.notices())
}
