import type { Outcome, Piece } from '../library/index.ts'
import type { CacheHint, RequestId, WireError } from '../protocol/index.ts'
import { META_SERVER_INFO, UNCACHED } from '../protocol/index.ts'
import type { Frame } from './frame.ts'

/** What results of one server have in common in the modern era, encoded once. */
export interface ResultEnvelope {
  /** `"_meta":{"io.modelcontextprotocol/serverInfo":{...}}` */
  readonly meta: string
}

export function resultEnvelope(serverInfo: object): ResultEnvelope {
  return { meta: `"_meta":${JSON.stringify({ [META_SERVER_INFO]: serverInfo })}` }
}

/** A notification; `params` may be left out. */
export function notificationFrame(method: string, params?: object): string {
  return params === undefined
    ? `{"jsonrpc":"2.0","method":${JSON.stringify(method)}}`
    : `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
}

/** An error response. Without an id when the id could not be read (basic/index, Error Responses). */
export function errorFrame(id: RequestId | undefined, error: WireError): string {
  const body = errorBody(error)
  return id === undefined ? `{"jsonrpc":"2.0","error":${body}}` : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${body}}`
}

function errorBody(error: WireError): string {
  try {
    return JSON.stringify(error)
  } catch {
    // Details that JSON cannot carry stay behind: an answer without them is better than none.
    return JSON.stringify({ code: error.code, message: error.message })
  }
}

/** A result as legacy revisions have it: plain. */
export function legacyFrame(id: RequestId, outcome: Exclude<Outcome, { kind: 'input-required' }>): Frame {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`
  if (outcome.kind === 'pieces') {
    return join(head, outcome.members, outcome.meta === undefined ? '}}' : `,"_meta":${JSON.stringify(outcome.meta)}}}`)
  }
  return `${head}${members(outcome.value)}}}`
}

/** A result of the modern era: `resultType`, cache fields where the method has them, and who answers. */
export function modernFrame(
  id: RequestId,
  outcome: Exclude<Outcome, { kind: 'input-required' }>,
  cacheable: boolean,
  envelope: ResultEnvelope,
): Frame {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete",`
  const cache = cacheable ? cacheMembers(outcome.hint ?? UNCACHED) : ''
  if (outcome.kind === 'pieces') return join(head, outcome.members, `,${cache}${metaMember(outcome.meta, envelope)}}}`)
  const { _meta, ...value } = outcome.value as { _meta?: object }
  const inner = members(value)
  const meta = metaMember(_meta, envelope)
  return `${head}${inner}${inner === '' ? '' : ','}${cache}${meta}}}`
}

/** A request for more input (basic/patterns/mrtr): never cached. */
export function inputRequiredFrame(id: RequestId, value: object, envelope: ResultEnvelope): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"input_required",${members(value)},${envelope.meta}}}`
}

function metaMember(meta: object | undefined, envelope: ResultEnvelope): string {
  if (meta === undefined) return envelope.meta
  if (META_SERVER_INFO in meta) return `"_meta":${JSON.stringify(meta)}`
  const more = members(meta)
  return more === '' ? envelope.meta : `${envelope.meta.slice(0, -1)},${more}}`
}

function cacheMembers(hint: CacheHint): string {
  const ttlMs = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(hint.ttlMs) || 0))
  return `"ttlMs":${ttlMs},"cacheScope":"${hint.cacheScope === 'public' ? 'public' : 'private'}",`
}

function members(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}

function join(head: string, middle: readonly Piece[], tail: string): Frame {
  if (middle.length === 1 && typeof middle[0] === 'string') return head + middle[0] + tail
  return [head, ...middle, tail]
}
