import { notFound } from '../../errors.ts'
import type { Call, CompleteRequest, Completion } from '../../library/index.ts'
import { decodeSegment } from '../../uri/index.ts'
import { throwIfAborted } from './abort.ts'
import type { FilesContext } from './context.ts'
import { lookAt, openFolder } from './folder.ts'
import type { NameEntry } from './packed-names.ts'
import { joinPath } from './paths.ts'
import type { DirectoryNames } from './scan-directory.ts'
import { templateOf } from './template.ts'
import { NAMES_A_TURN, turnFor } from './turn.ts'

/** Characters that `{+path}` would leave raw, where they would mean something else, and the percent sign itself. */
const RESERVED = /[%:?#[\]@!$&'()*+,;=]/g

/** After so many names that begin as asked, those that fit are no longer counted: a completion is asked for with each key. */
const COUNTED = 10_000

/**
 * Values for `{+path}`, one folder at a time: `src/` gives what is in `src`, folders with a slash at the end. Values are
 * what the template expands to a listed URI: reserved characters are triplets, all others stand as they are. Only
 * values on the way to something readable are given; `total` counts all that fit, unless there are very many.
 */
export async function completePath(context: FilesContext, request: CompleteRequest, call: Call): Promise<Completion> {
  const { uris } = context
  const isOurs = request.template === templateOf(context).uriTemplate || uris.pathOf(request.template) !== undefined
  if (!isOurs || request.variable !== 'path') throw notFound(request.template)
  throwIfAborted(call.signal)
  const slash = request.prefix.lastIndexOf('/')
  const start = request.prefix.slice(slash + 1)
  const decoded = decodeSegment(start) ?? start
  const path = slash === -1 ? '' : pathOfValue(context, request.prefix.slice(0, slash))
  const folder = path === undefined ? undefined : await openFolder(context, path, call, false)
  if (path === undefined || folder === undefined) return { values: [], total: 0, hasMore: false }
  try {
    const before = path === '' ? '' : `${path.split('/').map(valueOf).join('/')}/`
    const values: string[] = []
    let total = 0
    let looked = 0
    for (const entry of entriesFrom(folder.names, decoded === start ? [start] : [decoded, start])) {
      if (++looked % NAMES_A_TURN === 0) await turnFor(call.signal)
      if (looked > COUNTED && total > values.length) return { values, hasMore: true }
      if (!folder.admits(entry.name, entry.kind)) continue
      const uri = uris.uriOf(joinPath(path, entry.name))
      if (uri === undefined || !call.allows(entry.kind === 'directory' ? 'children' : 'read', uri)) continue
      if (values.length < request.limit || entry.kind === 'link') {
        const seen = await lookAt(context, folder, entry, call)
        if (seen === undefined) continue
        if (values.length < request.limit) values.push(before + valueOf(entry.name) + (seen.directory ? '/' : ''))
      }
      total++
    }
    return { values, total, hasMore: total > values.length }
  } finally {
    folder.close()
  }
}

/** The entries whose names begin with one of the texts, which stand next to each other in the order of names. */
function* entriesFrom(names: DirectoryNames, starts: readonly string[]): Generator<NameEntry> {
  for (const [n, start] of starts.entries()) {
    for (let i = names.find(start); i < names.length; i++) {
      const entry = names.at(i)
      if (entry === undefined || !entry.name.startsWith(start)) break
      // A name that begins with an earlier text too has had its turn.
      if (!starts.slice(0, n).some((earlier) => entry.name.startsWith(earlier))) yield entry
    }
  }
}

/** The folder a value stands for, each part decoded once if it can be. */
function pathOfValue(context: FilesContext, value: string): string | undefined {
  if (value === '') return undefined
  const path = value
    .split('/')
    .map((part) => decodeSegment(part) ?? part)
    .join('/')
  return context.uris.uriOf(path) === undefined ? undefined : path
}

function valueOf(name: string): string {
  return name.replace(RESERVED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
