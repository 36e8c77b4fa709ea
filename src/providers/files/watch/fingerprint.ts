import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { localCall } from '../../../library/index.ts'
import type { Call } from '../../../library/index.ts'
import { readBody } from '../body.ts'
import type { FilesContext } from '../context.ts'
import { lookAt, openFolder } from '../folder.ts'
import { openAdmitted } from '../open-admitted.ts'
import type { Opened } from '../open-beneath.ts'
import { isSettled, versionOf } from '../version.ts'

/** Larger files are compared by size, time and inode: reading them at each change would cost more than a touch told in vain. */
const HASHED = 16 * 1024 * 1024
/** Of larger folders only the names count, not the sizes and times of what is in them. */
const CHILDREN = 1_000

/** What is listened to, as it was at one moment. */
export interface Fingerprint {
  /** Where it really lies; undefined if there is nothing to read. */
  readonly real: string | undefined
  /** Times, size and inode; undefined if the contents may change without a change of these. */
  readonly state: string | undefined
  /** Equal for equal contents. */
  readonly contents: string
  readonly version?: string
}

export const ABSENT: Fingerprint = { real: undefined, state: undefined, contents: '' }

/** Looks at what lies at a path; contents are read only if its state is not that of `known`. */
export async function fingerprint(context: FilesContext, path: string, known: Fingerprint = ABSENT): Promise<Fingerprint> {
  const call = localCall()
  const opened = await openAdmitted(context, path, call)
  if (opened === undefined) return ABSENT
  try {
    if (opened.stat.isDirectory()) return await ofFolder(context, path, opened, call)
    const state = stateOf(opened)
    if (state !== undefined && state === known.state && opened.path === known.real) return known
    return await ofFile(opened)
  } finally {
    closeSync(opened.fd)
  }
}

async function ofFile(opened: Opened): Promise<Fingerprint> {
  const { stat } = opened
  if (stat.size > HASHED) {
    const contents = `${stat.size}:${stat.mtimeNs}:${stat.ino}`
    return { real: opened.path, state: stateOf(opened), contents, version: versionOf(stat) }
  }
  const version = versionOf(stat)
  const body = await readBody(opened, version, 2 * HASHED).catch(() => undefined)
  // A file that will not hold still, or outgrew everything: it is looked at again, being changed.
  if (body?.version === undefined) return { real: opened.path, state: undefined, contents: `moving:${stat.size}:${stat.mtimeNs}` }
  return {
    real: opened.path,
    state: body.version === version ? stateOf(opened) : undefined,
    contents: createHash('sha256').update(body.bytes).digest('base64'),
    version: body.version,
  }
}

/** A folder is what is listed of it: its names, and sizes and times of the files in it. */
async function ofFolder(context: FilesContext, path: string, opened: Opened, call: Call): Promise<Fingerprint> {
  const folder = await openFolder(context, path, call, false)
  if (folder === undefined) return ABSENT
  const hash = createHash('sha256')
  try {
    const few = folder.names.length <= CHILDREN
    for (let i = 0; i < folder.names.length; i++) {
      const entry = folder.names.at(i)
      if (entry === undefined || !folder.admits(entry.name, entry.kind)) continue
      const seen = few ? await lookAt(context, folder, entry, call) : { directory: true, size: 0, modified: 0 }
      if (seen !== undefined) hash.update(`${entry.name}\0${seen.directory ? '' : `${seen.size}:${seen.modified}`}\0`)
    }
  } finally {
    folder.close()
  }
  return { real: opened.path, state: undefined, contents: `folder:${hash.digest('base64')}` }
}

function stateOf({ stat }: Opened): string | undefined {
  if (!isSettled(stat, Date.now())) return undefined
  return `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}:${stat.dev}`
}
