import { closeSync } from 'node:fs'
import { cutToRange, refuseLarger } from '../../library/index.ts'
import type { Call, Contents, Reading, ReadRequest, ReadResult } from '../../library/index.ts'
import { BINARY_TYPE, identify, identifyBinary, isTextType, SIGNATURE_BYTES, typeByName } from '../../media/index.ts'
import { DIRECTORY_TYPE } from '../../protocol/index.ts'
import { readBody, readPart, readRange } from './body.ts'
import { childrenOf } from './children.ts'
import type { FilesContext } from './context.ts'
import { FileSource } from './file-source.ts'
import { openUri } from './locate.ts'
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
    if (request.range !== undefined) {
      // Bytes whatever the type: a range may begin and end inside a character.
      const { bytes, ...read } = await readRange(opened, version, request.range, request.maxBytes)
      return readingOf({ uri: request.uri, mimeType: await typeOfPart(opened.fd, type), bytes }, read)
    }
    const size = Number(opened.stat.size)
    refuseLarger(size, request.maxBytes)
    if (type !== undefined && !isTextType(type) && size > HELD) {
      const mimeType = identifyBinary(await readPart(opened.fd, 0, SIGNATURE_BYTES), type)
      kept = true
      return stream(new FileSource(opened.fd, 0, size, context.root.provider), request.uri, mimeType, version)
    }
    const { bytes, ...read } = await readBody(opened, version, request.maxBytes)
    return readingOf(contentsOf(request.uri, type, bytes), read)
  } finally {
    if (!kept) closeSync(opened.fd)
  }
}

function readingOf(contents: Contents, { version, range }: Pick<Reading, 'version' | 'range'>): Reading {
  return { kind: 'contents', contents: [contents], ...(version !== undefined && { version }), ...(range && { range }) }
}

function stream(source: FileSource, uri: string, mimeType: string, version: string): Reading {
  return {
    kind: 'contents',
    contents: [{ uri, mimeType, bytes: source }],
    version,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  }
}

/** Text if the type and the bytes say so. */
function contentsOf(uri: string, type: string | undefined, bytes: Uint8Array): Contents {
  const { mimeType, text } = identify(bytes, type)
  return text === undefined ? { uri, mimeType, bytes } : { uri, mimeType, text }
}

/** What a part is of: text keeps the type of its name, since a part of it may be no text by itself. */
async function typeOfPart(fd: number, type: string | undefined): Promise<string> {
  if (type === undefined) return BINARY_TYPE
  return isTextType(type) ? type : identifyBinary(await readPart(fd, 0, SIGNATURE_BYTES), type)
}

/** A directory's text is the URIs of its first thousand children, one a line. */
async function readDirectory(context: FilesContext, path: string, request: ReadRequest, call: Call): Promise<Reading> {
  const page = await childrenOf(context, path, { uri: request.uri, limit: DIRECTORY_LINES }, call)
  const text = page.items.map((item) => `${item.uri}\n`).join('')
  return cutToRange({ kind: 'contents', contents: [{ uri: request.uri, mimeType: DIRECTORY_TYPE, text }] }, request)
}
