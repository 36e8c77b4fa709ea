import { notFound, ShelfError } from '../../errors.ts'
import { pageOf } from '../../library/index.ts'
import type { Call, ChildrenRequest, Page } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { throwIfAborted } from './abort.ts'
import type { FilesContext } from './context.ts'
import { abreast, lookAt, openFolder } from './folder.ts'
import type { Entry } from './folder.ts'
import { createOmissions } from './notices.ts'
import type { NameEntry } from './packed-names.ts'
import { resourceOf } from './resource.ts'
import { NAMES_A_TURN, turnFor } from './turn.ts'

/** A page of the direct children of a directory, files and directories in one order by name. A position is a name. */
export async function childrenOf(
  context: FilesContext,
  path: string,
  request: ChildrenRequest,
  call: Call,
): Promise<Page<Resource>> {
  const { after, limit } = request
  if (after !== undefined && typeof after !== 'string') throw new ShelfError('invalid-cursor', 'Wanted a name as position', {})
  throwIfAborted(call.signal)
  const folder = await openFolder(context, path, call, after !== undefined)
  if (folder === undefined) throw notFound(request.uri)
  try {
    const { names } = folder
    const omissions = createOmissions(context.root.provider)
    if (after === undefined) omissions.count(names)
    const found: Entry[] = []
    let i = after === undefined ? 0 : names.find(after)
    if (after !== undefined && names.at(i)?.name === after) i++
    while (i < names.length && found.length <= limit) {
      throwIfAborted(call.signal)
      const run: NameEntry[] = []
      let room = limit + 1 - found.length
      for (; i < names.length && run.length < room; i++) {
        if (i % NAMES_A_TURN === NAMES_A_TURN - 1) await turnFor(call.signal)
        const entry = names.at(i)
        if (entry === undefined || !folder.admits(entry.name, entry.kind)) continue
        run.push(entry)
        room = Math.min(room, abreast(entry.kind))
      }
      for (const entry of await Promise.all(run.map((one) => lookAt(context, folder, one, call)))) {
        if (entry !== undefined) found.push(entry)
      }
    }
    const items = found.slice(0, limit).map((entry) => resourceOf(context, entry))
    const last = found.length > limit ? items.at(-1)?.name : undefined
    return pageOf(items, last, omissions.notices())
  } finally {
    folder.close()
  }
}
