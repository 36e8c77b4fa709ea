import type { Call, Contents, Reading } from '../../library/index.ts'
import { byteLength, requireCount, wholeBytes } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { META_SERVER } from '../../protocol/index.ts'
import type { Fitted } from '../budget/index.ts'
import { decodeUtf8 } from '../bytes/index.ts'
import { KINDS, kindOf } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'

/** One resource as it goes to a model. */
export interface RenderItem {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  /** Which server it is of, where there are several. */
  readonly server?: string
  readonly kind: Kind
  readonly body: TextBody | FittedBody | BytesBody | Placeholder
}

export interface TextBody {
  readonly text: string
}

/** A text as far as a budget took it. */
export interface FittedBody {
  readonly fitted: Fitted
}

export interface BytesBody {
  readonly bytes: Uint8Array
}

/** What stands in the place of what a model cannot be given. */
export interface Placeholder {
  /** Why it is not there, in a few words. */
  readonly missing: string
  /** In bytes, where it is known. */
  readonly size?: number
}

export interface ItemOptions {
  /** The most bytes of a body that is not text. Default 5 MiB. */
  readonly maxBytes?: number
}

/**
 * What was read of a resource, as items: each of its contents, or the one of several forms of one URI that says most to a
 * model. Nothing is left out without a word.
 *
 * @throws ShelfError `invalid-option`; what the bodies throw
 */
export async function itemsOf(
  reading: Reading,
  resource: Resource,
  call: Call,
  { maxBytes = 5 * 1024 * 1024 }: ItemOptions = {},
): Promise<readonly RenderItem[]> {
  requireCount('maxBytes', maxBytes, 0)
  return Promise.all(oneForm(reading.contents).map((contents) => itemOf(contents, resource, maxBytes, call)))
}

/** Of several forms of one URI the first that is text, else the first. */
function oneForm(contents: readonly Contents[]): readonly Contents[] {
  const forms = new Map<string, Contents>()
  for (const one of contents) {
    const before = forms.get(one.uri)
    if (before === undefined || (!('text' in before) && 'text' in one)) forms.set(one.uri, one)
  }
  return [...forms.values()]
}

async function itemOf(contents: Contents, resource: Resource, maxBytes: number, call: Call): Promise<RenderItem> {
  const mimeType = contents.mimeType ?? (contents.uri === resource.uri ? resource.mimeType : undefined)
  const name = contents.uri === resource.uri ? (resource.title ?? resource.name) : contents.uri
  const server = resource._meta?.[META_SERVER]
  const about = {
    uri: contents.uri,
    name,
    ...(mimeType !== undefined && { mimeType }),
    ...(typeof server === 'string' && { server }),
  }
  const described = { uri: contents.uri, name: resource.name, ...(mimeType !== undefined && { mimeType }) }
  if ('text' in contents) {
    const kind = kindOf(described, contents.text)
    return { ...about, kind: KINDS[kind].isText ? kind : 'text', body: { text: contents.text } }
  }
  const size = byteLength(contents.bytes)
  if (size > maxBytes) {
    return { ...about, kind: kindOf(described), body: { missing: `more than ${maxBytes} bytes are not sent`, size } }
  }
  const bytes = await wholeBytes(contents.bytes, maxBytes, call)
  const kind = kindOf(described, bytes)
  const text = KINDS[kind].isText ? decodeUtf8(bytes, 'kept') : undefined
  return { ...about, kind, body: text === undefined ? { bytes } : { text } }
}
