import { ShelfError } from '../errors.ts'
import type { ByteRange } from '../library/index.ts'
import type { UncheckedObject } from '../protocol/index.ts'
import { isObject, META_RANGE, META_RESOURCE_VERSION, META_UNCHANGED, RESOURCES_READ, UNCACHED } from '../protocol/index.ts'
import type { Asking } from './ask.ts'
import { ask, completeResult, factsOf, hintOf, metaOf } from './ask.ts'
import type { Fetched } from './cached-results.ts'
import type { ReadContents } from './contents.ts'
import { readContents } from './contents.ts'
import type { ClientReading, ClientUnchanged } from './client-reading.ts'
import { cutContents } from './cut-contents.ts'
import type { InputHandler, InputQuestion } from './input.ts'
import { readRequests, withInput } from './input.ts'
import { NoticeList } from './items.ts'
import type { AskOptions } from './options.ts'

export interface ReadOptions extends AskOptions {
  /** Part of the body. A server that has no ranges is read whole, and the part is cut out here. */
  readonly range?: ByteRange
  /** A version that the caller holds; the answer may be `unchanged`, from a server that has versions. */
  readonly ifVersion?: string
  /** Instead of the client's. */
  readonly onInput?: InputHandler
}

/**
 * Reads one URI, sent as it is given.
 *
 * @throws ShelfError `not-found`, `too-large`, `refused` for a question that nobody answers, `timeout`, `cancelled`,
 *   `unavailable`, `server-error`, `invalid-answer` when nothing of what came can be used, `invalid-params` for a range
 *   that is none
 */
export async function read(asking: Asking, uri: string, options: ReadOptions): Promise<ClientReading | ClientUnchanged> {
  checkRange(options.range)
  const { extension } = await factsOf(asking, options.signal)
  const range = extension.ranges ? options.range : undefined
  const version = extension.versions ? options.ifVersion : undefined
  const answer =
    range === undefined && version === undefined && options.onInput === undefined
      ? await readKept(asking, uri, options, extension.versions)
      : (await fetchRead(asking, uri, options, range, version)).value
  return answer.kind === 'unchanged' ? answer : cutIfWhole(answer, options.range)
}

/** A range is believed only if it was echoed; what was not is the whole. */
function cutIfWhole(answer: ClientReading, range: ByteRange | undefined): ClientReading {
  if (range === undefined) return answer
  if (answer.range === undefined) return cutContents(answer, range)
  if (answer.range.offset !== range.offset && answer.range.length > 0)
    throw invalid(`The server gave bytes from ${answer.range.offset} on, not from ${range.offset}`)
  if (range.length !== undefined && answer.range.length > range.length)
    throw invalid(`The server gave ${answer.range.length} bytes, not the ${range.length} at most that were asked for`)
  return answer
}

function checkRange(range: ByteRange | undefined): void {
  if (range === undefined || [range.offset, range.length ?? 0].every(isCount)) return
  throw new ShelfError('invalid-params', 'A range has an offset and, if any, a length, both whole numbers of bytes', {
    param: 'range',
  })
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The whole, from the cache if it may be; what is old there is asked for with its version. */
async function readKept(asking: Asking, uri: string, options: ReadOptions, versions: boolean): Promise<ClientReading> {
  return asking.results.get<ClientReading>({
    key: `${RESOURCES_READ.method} ${JSON.stringify({ uri })}`,
    uri,
    fresh: options.fresh,
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    alone: options.onProgress !== undefined,
    fetch: async (signal, old) => {
      const held = versions && options.fresh !== true ? old?.version : undefined
      const fetched = await fetchRead(asking, uri, { ...options, signal }, undefined, held)
      const { value: answer } = fetched
      if (answer.kind === 'contents') return { ...fetched, value: answer }
      if (old === undefined) throw invalid('The server answered that nothing changed, and was not asked')
      return { ...fetched, value: { ...old, hint: fetched.hint }, size: () => sizeOf(old) }
    },
  })
}

/** What a server wants to know before it gives a resource; `state` goes back as it came. */
export interface ClientQuestion {
  readonly kind: 'input-required'
  readonly requests: InputQuestion['requests']
  readonly state?: string
}

export interface ReadOnceOptions extends Omit<ReadOptions, 'onInput'> {
  /** What was answered to the question that this very read was met with before. */
  readonly answers?: { readonly responses: UncheckedObject; readonly state?: string }
}

/** One request, of which nothing is kept; a question is given back. */
export async function readOnce(
  asking: Asking,
  uri: string,
  options: ReadOnceOptions,
): Promise<ClientReading | ClientUnchanged | ClientQuestion> {
  checkRange(options.range)
  const { extension } = await factsOf(asking, options.signal)
  const range = extension.ranges ? options.range : undefined
  const version = extension.versions ? options.ifVersion : undefined
  const { responses, state } = options.answers ?? {}
  const more = {
    ...(responses && Object.keys(responses).length > 0 && { inputResponses: responses }),
    ...(state !== undefined && { requestState: state }),
  }
  const result = await ask(asking, readRequest(uri, range, version, more), options)
  if (result['resultType'] !== 'input_required') {
    const answer = answerOf(uri, result, range, version)
    return answer.kind === 'contents' ? cutIfWhole(answer, options.range) : answer
  }
  const { requestState } = result
  return {
    kind: 'input-required',
    requests: readRequests(result['inputRequests']),
    ...(typeof requestState === 'string' && { state: requestState }),
  }
}

function readRequest(uri: string, range: ByteRange | undefined, version: string | undefined, more: UncheckedObject) {
  const meta = { ...(range && { [META_RANGE]: range }), ...(version !== undefined && { [META_RESOURCE_VERSION]: version }) }
  const params = { uri, ...more, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
  return { method: RESOURCES_READ.method, uri, params }
}

function answerOf(
  uri: string,
  result: UncheckedObject,
  range: ByteRange | undefined,
  version: string | undefined,
): ClientReading | ClientUnchanged {
  const complete = completeResult(result, RESOURCES_READ.method)
  if (metaOf(complete)[META_UNCHANGED] === true && version !== undefined) return { kind: 'unchanged', version }
  return readingOf(uri, complete, range)
}

async function fetchRead(
  asking: Asking,
  uri: string,
  options: ReadOptions,
  range: ByteRange | undefined,
  version: string | undefined,
): Promise<Fetched<ClientReading | ClientUnchanged>> {
  const onInput = options.onInput ?? asking.onInput
  const send = (more: UncheckedObject) => ask(asking, readRequest(uri, range, version, more), options)
  const { result, asked } = await withInput(uri, onInput, send, options.signal)
  const answer = answerOf(uri, result, range, version)
  if (answer.kind === 'unchanged') return { value: answer, hint: UNCACHED, size: () => 0, conditional: true, unkept: asked }
  return {
    value: answer,
    hint: answer.hint,
    size: () => sizeOf(answer),
    conditional: answer.version !== undefined,
    unkept: asked,
  }
}

function readingOf(uri: string, result: UncheckedObject, range: ByteRange | undefined): ClientReading {
  const notices = new NoticeList()
  const contents = readContents(result['contents'], uri, notices)
  if (contents.length === 0) {
    if (notices.all.length > 0) throw invalid(`Nothing of the answer can be used: ${notices.all[0]!.message}`)
    notices.warn('The server answered with no contents at all')
  }
  const told = metaOf(result)
  const version = told[META_RESOURCE_VERSION]
  const echo = range === undefined ? undefined : echoOf(told[META_RANGE], contents)
  return {
    kind: 'contents',
    contents,
    ...(typeof version === 'string' && { version }),
    ...(echo && { range: echo }),
    hint: hintOf(result),
    stale: false,
    notices: notices.told,
  }
}

/** The part that was given, as the server says it: only if there are as many bytes. */
function echoOf(value: unknown, contents: readonly ReadContents[]): ClientReading['range'] {
  if (!isObject(value)) return undefined
  const { offset, length, total } = value
  const whole = [offset, length, total].every(isCount)
  const bytes = contents[0]?.bytes
  if (!whole || contents.length !== 1 || bytes === undefined || bytes.length !== length) {
    throw invalid('The server gave part of a resource, but not the bytes that it says it gave')
  }
  return { offset: offset as number, length, total: total as number }
}

function sizeOf({ contents }: ClientReading): number {
  return contents.reduce((sum, { uri, text, bytes }) => sum + 2 * (uri.length + (text?.length ?? 0)) + (bytes?.length ?? 0), 0)
}

function invalid(message: string): ShelfError {
  return new ShelfError('invalid-answer', message, { method: RESOURCES_READ.method })
}
