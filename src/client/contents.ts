import type { Meta } from '../protocol/index.ts'
import { isObject } from '../protocol/index.ts'
import { uriKey } from '../uri/index.ts'
import { decodeBase64 } from './base64-decode.ts'
import { DEEPEST, isDeeper } from './is-deeper.ts'
import type { NoticeList } from './items.ts'
import { shown } from './items.ts'

/** One piece of content, text or bytes as the server sent it. */
export type ReadContents = {
  /** Of this piece, as the server gave it; it may be a child of what was asked for. */
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: Meta
} & ({ readonly text: string; readonly bytes?: never } | { readonly bytes: Uint8Array; readonly text?: never })

/** More pieces than this in one answer are left out. */
const MOST_CONTENTS = 10_000

/** The contents of an answer to a read of `uri`; what is neither text nor bytes is set aside and named. */
export function readContents(value: unknown, uri: string, notices: NoticeList): readonly ReadContents[] {
  if (!Array.isArray(value)) {
    notices.warn('The answer has no list of contents')
    return []
  }
  const entries = value as readonly unknown[]
  if (entries.length > MOST_CONTENTS) notices.warn(`Of ${entries.length} contents the first ${MOST_CONTENTS} are taken`)
  const contents: ReadContents[] = []
  for (const [index, entry] of entries.slice(0, MOST_CONTENTS).entries()) {
    const one = readOne(entry, uri, index, notices)
    if (one !== undefined) contents.push(one)
  }
  return contents
}

function readOne(entry: unknown, asked: string, index: number, notices: NoticeList): ReadContents | undefined {
  const aside = (why: string): undefined => notices.warn(`Content ${index} ${why}; set aside`) as undefined
  if (!isObject(entry)) return aside('is no object')
  if (isDeeper(entry, DEEPEST)) return aside(`has more than ${DEEPEST} levels`)
  const { text, blob, uri, mimeType, _meta: meta, ...rest } = entry
  if (typeof uri !== 'string') notices.warn(`Content ${index} has no uri; taken for the one that was asked for`)
  else if (!isWithin(uri, asked))
    notices.warn(`Content ${index} is of ${shown(uri)}, which is neither what was asked for nor below it`)
  const known = {
    ...rest,
    uri: typeof uri === 'string' ? uri : asked,
    ...(typeof mimeType === 'string' && { mimeType }),
    ...(isObject(meta) && { _meta: meta }),
  }
  if (typeof text === 'string') {
    if (blob !== undefined) notices.warn(`Content ${index} has a text and a blob; the text is taken`)
    return { ...known, text }
  }
  if (typeof blob !== 'string') return aside('has neither text nor blob')
  const bytes = decodeBase64(blob)
  return bytes === undefined ? aside('has a blob that is no base64') : { ...known, bytes }
}

function isWithin(uri: string, asked: string): boolean {
  if (uri === asked || uri.startsWith(asked.endsWith('/') ? asked : `${asked}/`)) return true
  return uriKey(uri) === uriKey(asked)
}
