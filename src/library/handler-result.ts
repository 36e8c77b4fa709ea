import { notFound, ShelfError } from '../errors.ts'
import type { CacheHint } from '../protocol/index.ts'
import { refuseLargerContents } from './byte-limits.ts'
import { cutToRange } from './cut-to-range.ts'
import type { ByteSource, Contents, InputRequired, Reading, ReadRequest, ReadResult } from './provider.ts'
import { withHint } from './resource-face.ts'

/**
 * What a read handler may return: text, bytes, a JSON value (sent as `application/json`), full contents,
 * or a whole ReadResult, or a promise of one of these. `undefined` means that there is no such resource.
 */
export type HandlerResult = unknown

/**
 * Runs a read handler. One that answers at once costs no more than the promise that is given back. A range is cut out of
 * a whole body here, so that a handler may ignore it; one that gave a part says which, in a Reading.
 */
export function runHandler(
  handler: () => HandlerResult,
  request: ReadRequest,
  mimeType: string | undefined,
  hint: CacheHint | undefined,
): Promise<ReadResult> {
  const finish = (result: HandlerResult): ReadResult | Promise<ReadResult> => {
    const read = withHint(toReadResult(result, request, mimeType), hint)
    return request.range === undefined || read.kind !== 'contents' ? read : cutToRange(read, request)
  }
  try {
    const result = handler()
    return isThenable(result) ? Promise.resolve(result).then(finish) : Promise.resolve(finish(result))
  } catch (error) {
    return Promise.reject(error)
  }
}

function isThenable(result: HandlerResult): result is PromiseLike<HandlerResult> {
  return typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
}

/** A handler's result in the one shape that providers return. */
export function toReadResult(result: HandlerResult, request: ReadRequest, mimeType: string | undefined): ReadResult {
  if (result === undefined) throw notFound(request.uri)
  if (isReadResult(result)) return result
  const contents = toContents(result, request.uri, mimeType)
  // Of a range only the part counts.
  if (request.range === undefined) refuseLargerContents(contents, request.maxBytes)
  return { kind: 'contents', contents }
}

function toContents(result: HandlerResult, uri: string, mimeType: string | undefined): readonly Contents[] {
  if (typeof result === 'string') return [{ uri, mimeType: mimeType ?? 'text/plain', text: result }]
  const bytes = bytesOf(result)
  if (bytes !== undefined) return [{ uri, mimeType: mimeType ?? 'application/octet-stream', bytes }]
  if (isContentsList(result)) return result
  const text = JSON.stringify(result)
  if (typeof text === 'string') return [{ uri, mimeType: mimeType ?? 'application/json', text }]
  throw new ShelfError('internal', `The handler of ${uri} returned a ${typeof result}, which JSON cannot carry`, {})
}

/** Any view of memory as its bytes: as JSON it would be an object of numbers, or an empty one. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}

function isReadResult(result: HandlerResult): result is Reading | InputRequired {
  if (typeof result !== 'object' || result === null || !('kind' in result)) return false
  return (result.kind === 'contents' && 'contents' in result) || result.kind === 'input-required' || result.kind === 'unchanged'
}

function isContentsList(result: HandlerResult): result is readonly Contents[] {
  // An empty array is a JSON value: there is nothing in it that would make it contents.
  return Array.isArray(result) && result.length > 0 && result.every(isContents)
}

function isContents(value: unknown): value is Contents {
  if (typeof value !== 'object' || value === null || typeof (value as Contents).uri !== 'string') return false
  return typeof (value as { text?: unknown }).text === 'string' || isBytes((value as { bytes?: unknown }).bytes)
}

function isBytes(value: unknown): value is Uint8Array | ByteSource {
  return (
    value instanceof Uint8Array ||
    (typeof value === 'object' && value !== null && typeof (value as ByteSource).open === 'function')
  )
}
