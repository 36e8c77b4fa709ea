import { ShelfError } from '../errors.ts'
import type { ByteRange, Contents, PiecesOutcome, Reading, ReadRequest } from '../library/index.ts'
import { bytesIn } from '../library/index.ts'
import type { UncheckedObject } from '../protocol/index.ts'
import { isObject, META_RANGE, META_RESOURCE_VERSION, META_UNCHANGED, UNCACHED } from '../protocol/index.ts'
import type { Told } from './contents.ts'

/** What a read asks beyond its URI (docs/extension.md); never empty. */
export type Extras = Pick<ReadRequest, 'range' | 'ifVersion'>

/** The keys of `_meta` that are part of the question, as the parameters are. */
export const QUESTION_KEYS: readonly string[] = [META_RANGE, META_RESOURCE_VERSION]

/** The longest version that is taken or told, in UTF-16 units. */
const MAX_VERSION = 1_024

/**
 * What `_meta` of a read asks for; undefined for nothing.
 *
 * @throws ShelfError `invalid-params` for a range or version of another form
 */
export function readExtras(params: UncheckedObject): Extras | undefined {
  const meta = params['_meta']
  if (!isObject(meta)) return undefined
  const range = meta[META_RANGE]
  const version = meta[META_RESOURCE_VERSION]
  if (range === undefined && version === undefined) return undefined
  return {
    ...(range !== undefined && { range: checkedRange(range) }),
    ...(version !== undefined && { ifVersion: checkedVersion(version) }),
  }
}

/** The version of a resource as `_meta` or a stat tells it; one that could not be sent back is not told. */
export function toldVersion(version: string | undefined): string | undefined {
  return typeof version === 'string' && version.length <= MAX_VERSION ? version : undefined
}

/**
 * What the result of a read says beside its contents: the version, and the part if one was asked for and given. Answers to
 * a range or a version are not for caches, since other clients key theirs by the URI alone.
 *
 * @throws ShelfError `internal` for contents that are not the part they are said to be: parts are put together by what is said
 */
export function tellExtras(reading: Reading, extras: Extras | undefined): Told | undefined {
  const version = toldVersion(reading.version)
  if (extras === undefined) return version === undefined ? undefined : { meta: { [META_RESOURCE_VERSION]: version } }
  const range = extras.range && reading.range && toldRange(reading.range, reading.contents)
  if (range === undefined && version === undefined) return { hint: UNCACHED }
  const meta = { ...(range && { [META_RANGE]: range }), ...(version !== undefined && { [META_RESOURCE_VERSION]: version }) }
  return { meta, hint: UNCACHED, ...(range && { part: true }) }
}

function toldRange({ offset, length, total }: NonNullable<Reading['range']>, contents: readonly Contents[]): object {
  const bytes = bytesIn(contents)
  if (isCount(offset) && isCount(total) && length === bytes && offset + length <= total) return { offset, length, total }
  const said = `${length} from ${offset} of ${total}`
  throw new ShelfError('internal', `${contents[0]?.uri} came with ${bytes} bytes as the range ${said}`, {})
}

/** The answer to a caller whose version is the current one. */
export function unchangedOutcome(version: string): PiecesOutcome {
  const meta = { [META_RESOURCE_VERSION]: version, [META_UNCHANGED]: true }
  return { kind: 'pieces', members: ['"contents":[]'], hint: UNCACHED, meta }
}

function checkedRange(value: unknown): ByteRange {
  const wanted = `params._meta["${META_RANGE}"] must be { offset, length? } in bytes`
  if (!isObject(value)) throw invalid(`${wanted}, got ${shown(value)}`)
  const stranger = Object.keys(value).find((name) => name !== 'offset' && name !== 'length')
  if (stranger !== undefined) throw invalid(`${wanted}, got a member ${shown(stranger)}`)
  const { offset, length } = value
  if (!isCount(offset)) throw notCount('offset', offset)
  if (length === undefined) return { offset }
  if (!isCount(length)) throw notCount('length', length)
  return { offset, length }
}

function checkedVersion(value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_VERSION) return value
  const came = typeof value === 'string' ? `${value.length} characters` : shown(value)
  throw invalid(`params._meta["${META_RESOURCE_VERSION}"] must be a string of at most ${MAX_VERSION} characters, got ${came}`)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function notCount(name: string, value: unknown): ShelfError {
  const wanted = `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`
  return invalid(`params._meta["${META_RANGE}"].${name} must be ${wanted}, got ${shown(value)}`)
}

/** What came, in few words: it may be large, or nested without end. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'number') return String(value)
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : value)
}

function invalid(message: string): ShelfError {
  return new ShelfError('invalid-params', message, { param: '_meta' })
}
