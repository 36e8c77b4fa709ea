import { ShelfError } from '../../errors.ts'
import type { Contents, InputRequired, Provider, Reading } from '../../library/index.ts'
import { byteLength } from '../../library/index.ts'
import { decodeUtf8, encodeBase64, imageType } from '../bytes/index.ts'
import { KINDS, kindOf } from '../kinds/index.ts'
import { linkTo } from './describe.ts'
import { oneLine, wholeUri } from '../text/index.ts'
import type { Limits } from './options.ts'
import type { Window } from './read-window.ts'
import { wholeCharacters, windowOf } from './read-window.ts'
import type { ToolCall, ToolResult } from './tool.ts'
import { said } from './tool.ts'

/** Bodies of one resource that are looked at; there is hardly ever more than one. */
const MOST_BODIES = 100

/**
 * Reads a resource for a model: text up to the limit, then how to read on; an image as one; of all else what it is.
 *
 * @param offset in bytes of the text as UTF-8
 * @throws what the provider throws
 */
export async function readForModel(
  data: Provider,
  uri: string,
  offset: number,
  asked: ToolCall,
  limits: Limits,
): Promise<ToolResult | InputRequired> {
  const { call, maxRead: maxBytes, answers } = asked
  const length = Math.min(limits.textBytes, maxBytes)
  const result = await data.read({ uri, range: { offset, length }, maxBytes, ...(answers && { answers }) }, call)
  if (result.kind === 'input-required') return result
  if (result.kind === 'unchanged') throw new ShelfError('internal', `${uri} was answered as unchanged`, {})
  try {
    const [only, another] = result.contents
    if (only === undefined) throw new ShelfError('internal', `${uri} was answered with no contents`, {})
    if (another !== undefined) return bodiesFor(result.contents, uri, offset, length)
    const window = await windowOf(result, only, offset, length, call)
    return (await shown(data, result, only, window, uri, asked, limits)) ?? placeholder(uri, only, window.total)
  } finally {
    await result[Symbol.asyncDispose]?.()
  }
}

/** One body as what a model takes; undefined for what it cannot take. */
async function shown(
  data: Provider,
  reading: Reading,
  only: Contents,
  window: Window,
  uri: string,
  asked: ToolCall,
  limits: Limits,
): Promise<ToolResult | undefined> {
  if ('text' in only) return textResult(window, uri, new TextDecoder().decode(wholeCharacters(window).bytes))
  const kind = kindOf(
    { uri, ...(only.mimeType !== undefined && { mimeType: only.mimeType }) },
    window.start === 0 ? window.bytes : undefined,
  )
  const { isText } = KINDS[kind]
  if (kind === 'image') return imageResult(data, window, uri, asked, limits)
  if (!isText && kind !== 'other') return undefined
  const text = decodeUtf8(wholeCharacters(window).bytes)
  if (text !== undefined) return textResult(window, uri, text)
  // What is text in another encoding is decoded by providers that give it whole.
  if (!isText || reading.range === undefined || window.total > asked.maxRead) return undefined
  const whole = await data.read({ uri, maxBytes: asked.maxRead }, asked.call)
  if (whole.kind !== 'contents') return undefined
  try {
    const [first, more] = whole.contents
    if (first === undefined || !('text' in first) || more !== undefined) return undefined
    const { range: _cut, ...plain } = whole
    const part = await windowOf(plain, first, window.start, limits.textBytes, asked.call)
    return textResult(part, uri, new TextDecoder().decode(wholeCharacters(part).bytes))
  } finally {
    await whole[Symbol.asyncDispose]?.()
  }
}

function textResult(window: Window, uri: string, text: string): ToolResult {
  const { bytes, start, total } = wholeCharacters(window)
  const end = start + bytes.length
  if (total === 0) return said(`[${uri} is empty: 0 bytes.]`)
  if (start >= total) return said(`[${uri} ends before this offset: it has ${total} bytes.]`)
  if (end < total) {
    return said(
      text,
      `[Bytes ${start} to ${end} of ${total} of ${uri}. To read on, call read_resource with this uri and offset ${end}.]`,
    )
  }
  return start === 0 ? said(text) : said(text, `[Bytes ${start} to ${end} of ${total} of ${uri}, its end.]`)
}

/** An image as one where models take its format and it is not too large. */
async function imageResult(
  data: Provider,
  window: Window,
  uri: string,
  asked: ToolCall,
  { imageBytes }: Limits,
): Promise<ToolResult | undefined> {
  const { total } = window
  if (total > Math.min(imageBytes, asked.maxRead)) return undefined
  let { bytes } = window
  if (bytes.length < total) {
    const whole = await data.read({ uri, maxBytes: Math.min(imageBytes, asked.maxRead) }, asked.call)
    if (whole.kind !== 'contents') return undefined
    try {
      const [first] = whole.contents
      if (first === undefined || 'text' in first) return undefined
      const { range: _cut, ...plain } = whole
      bytes = (await windowOf(plain, first, 0, Math.min(imageBytes, byteLength(first.bytes)), asked.call)).bytes
    } finally {
      await whole[Symbol.asyncDispose]?.()
    }
  }
  const mimeType = imageType(bytes)
  if (mimeType === undefined) return undefined
  return {
    content: [
      { type: 'text', text: `[${uri}, ${mimeType}, ${total} bytes:]` },
      { type: 'image', data: encodeBase64(bytes), mimeType },
    ],
  }
}

/** What stands for bytes that are no text: base64 says nothing to a model, and costs it much. */
function placeholder(uri: string, body: Contents, size: number): ToolResult {
  return {
    content: [
      { type: 'text', text: placeholderText(uri, body, size) },
      linkTo({ uri, name: nameOf(uri), size, ...(body.mimeType !== undefined && { mimeType: body.mimeType }) }),
    ],
  }
}

function placeholderText(uri: string, { mimeType }: Contents, size: number): string {
  const type = mimeType === undefined ? 'of a type that is not told' : oneLine(mimeType, 100)
  return `[${wholeUri(uri)}, ${type}, ${size} bytes: this is not text, and is not shown here. Reading it again gives the same. Tell the user where it is, or read something else.]`
}

function nameOf(uri: string): string {
  return uri.slice(uri.search(/[^/:]*$/)) || uri
}

/** Several bodies one after the other, each under its URI, as one text. */
function bodiesFor(contents: readonly Contents[], uri: string, offset: number, length: number): ToolResult {
  const some = contents.slice(0, MOST_BODIES)
  const text = some
    .map((body) => {
      const what = 'text' in body ? body.text : (smallText(body.bytes) ?? placeholderText(body.uri, body, byteLength(body.bytes)))
      return `[${wholeUri(body.uri)}]\n${what}\n`
    })
    .join('\n')
  const rest = contents.length - some.length
  const all = new TextEncoder().encode(rest === 0 ? text : `${text}\n[${rest} more parts are left out.]\n`)
  const start = Math.min(offset, all.length)
  const window = { bytes: all.subarray(start, start + length), start, total: all.length }
  return textResult(window, uri, new TextDecoder().decode(wholeCharacters(window).bytes))
}

function smallText(bytes: Extract<Contents, { bytes: unknown }>['bytes']): string | undefined {
  return 'byteLength' in bytes ? decodeUtf8(bytes) : undefined
}
