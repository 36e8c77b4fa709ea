import { closeSync } from 'node:fs'
import { partOf, refuseLarger } from '../../library/index.ts'
import type { Call, Contents, Reading, ReadRequest, ReadResult } from '../../library/index.ts'
import { BINARY_TYPE, decodeText, isTextType, TEXT_TYPE, typeByName } from '../../media/index.ts'
import { DIRECTORY_TYPE } from '../../protocol/index.ts'
import { readBody, readPart } from './body.ts'
import { childrenOf } from './children.ts'
import type { FilesContext } from './context.ts'
import { FileSource } from './file-source.ts'
import { openUri } from './locate.ts'
import type { Opened } from './open-beneath.ts'
import { nameOf } from './paths.ts'
import { versionOf } from './version.ts'

/** The most bytes of a binary file that are held in memory; more is sent from the open file. */
const HELD = 256 * 1024
/** The most children that the text of a directory names. */
const DIRECTORY_LINES = 1_000

/** `resources/read` of one URI. */
export async function readFile(context: FilesContext, request: ReadRequest, call: Call): Promise<ReadResult> {
  const { path, opened } = await openUri(context, request.uri, call)
  let kept = false
  try {
    if (opened.stat.isDirectory()) return await readDirectory(context, path, request, call)
    const version = versionOf(opened.stat)
    if (request.ifVersion === version) return { kind: 'unchanged', version }
    const type = typeByName(nameOf(path))
    if (request.range !== undefined) return await readRange(opened, request, type, version, request.range)
    const size = Number(opened.stat.size)
    refuseLarger(size, request.maxBytes)
    if (type !== undefined && !isTextType(type) && size > HELD) {
      kept = true
      return stream(new FileSource(opened.fd, 0, size, context.root.provider), request.uri, type, version)
    }
    const { bytes, stat } = await readBody(opened, request.maxBytes)
    const contents = [contentsOf(request.uri, type, bytes)]
    if (stat === undefined) return { kind: 'contents', contents }
    return { kind: 'contents', contents, version: stat === opened.stat ? version : versionOf(stat) }
  } finally {
    if (!kept) closeSync(opened.fd)
  }
}

function stream(source: FileSource, uri: string, mimeType: string, version: string): Reading {
  return {
    kind: 'contents',
    contents: [{ uri, mimeType, bytes: source }],
    version,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  }
}

/** Text if the type or, without one, the bytes say so; bytes that contradict a text type are octets. */
function contentsOf(uri: string, type: string | undefined, bytes: Uint8Array): Contents {
  // Many readers take an empty blob for a missing one; an empty text says that the file is there.
  if (bytes.length === 0) return { uri, mimeType: type ?? TEXT_TYPE, text: '' }
  if (type !== undefined && !isTextType(type)) return { uri, mimeType: type, bytes }
  const decoded = decodeText(bytes)
  if (decoded === undefined) return { uri, mimeType: BINARY_TYPE, bytes }
  const mimeType = type ?? TEXT_TYPE
  return { uri, mimeType: decoded.charset === 'utf-8' ? mimeType : `${mimeType}; charset=${decoded.charset}`, text: decoded.text }
}

/** Ranged answers are bytes whatever the type: a range may begin and end inside a character. */
async function readRange(
  opened: Opened,
  request: ReadRequest,
  type: string | undefined,
  version: string,
  range: NonNullable<ReadRequest['range']>,
): Promise<Reading> {
  const total = Number(opened.stat.size)
  const { offset, length } = partOf(range, total, request.maxBytes)
  const bytes = await readPart(opened.fd, offset, length)
  return {
    kind: 'contents',
    contents: [{ uri: request.uri, mimeType: type ?? BINARY_TYPE, bytes }],
    version,
    range: { offset, length: bytes.length, total },
  }
}

/** A directory's text is the URIs of its first thousand children, one a line. */
async function readDirectory(context: FilesContext, path: string, request: ReadRequest, call: Call): Promise<Reading> {
  const page = await childrenOf(context, path, { uri: request.uri, limit: DIRECTORY_LINES }, call)
  const text = page.items.map((item) => `${item.uri}\n`).join('')
  refuseLarger(Buffer.byteLength(text), request.maxBytes)
  return { kind: 'contents', contents: [{ uri: request.uri, mimeType: DIRECTORY_TYPE, text }] }
}
