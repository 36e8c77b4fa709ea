import type { ErrorCode } from '../errors.ts'
import { ShelfError } from '../errors.ts'
import type { Era } from './revisions.ts'

/** A JSON-RPC error object. */
export interface WireError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

interface WireRule {
  readonly legacy: number
  readonly modern: number
  /** Said instead of the error's own message, which may name what the caller must not learn. */
  readonly message?: string
  /** Whether `details` cross as `data`. */
  readonly data?: true
}

const INTERNAL = { legacy: -32603, modern: -32603, message: 'Internal error' } as const

/**
 * The one place that knows JSON-RPC numbers. Codes below -32000 are the protocol's (basic/index, Error Codes);
 * those above 10000 are this library's own, an HTTP status plus 10000.
 */
export const WIRE_ERRORS: { readonly [C in ErrorCode]: WireRule } = {
  'parse-error': { legacy: -32700, modern: -32700 },
  'invalid-request': { legacy: -32600, modern: -32600 },
  'method-not-found': { legacy: -32601, modern: -32601 },
  'invalid-params': { legacy: -32602, modern: -32602 },
  'invalid-cursor': { legacy: -32602, modern: -32602, message: 'Invalid cursor' },
  'invalid-uri': { legacy: -32602, modern: -32602 },
  'invalid-values': { legacy: -32602, modern: -32602 },
  'not-found': { legacy: -32002, modern: -32602, message: 'Resource not found', data: true },
  'header-mismatch': { legacy: -32600, modern: -32020 },
  'missing-capability': { legacy: -32600, modern: -32021, data: true },
  'unsupported-version': { legacy: -32602, modern: -32022, message: 'Unsupported protocol version', data: true },
  unsupported: { legacy: -32602, modern: -32602 },
  refused: { legacy: 10400, modern: 10400 },
  'too-large': { legacy: 10413, modern: 10413, data: true },
  busy: { legacy: 10429, modern: 10429, data: true },
  unavailable: { legacy: 10503, modern: 10503, message: 'Unavailable for now' },
  timeout: { legacy: 10504, modern: 10504, data: true },
  cancelled: { legacy: 10499, modern: 10499, message: 'Cancelled' },
  ambiguous: { legacy: -32602, modern: -32602, data: true },
  'server-error': { legacy: 10502, modern: 10502, message: 'The server behind this one answered with an error' },
  'invalid-answer': { legacy: 10502, modern: 10502, message: 'The server behind this one gave no valid answer' },
  'invalid-template': INTERNAL,
  duplicate: INTERNAL,
  'invalid-option': INTERNAL,
  internal: INTERNAL,
}

/** True for errors whose cause belongs in the log of this side, since the wire says nothing of it. */
export function isInternal(error: ShelfError): boolean {
  return ruleOf(error) === INTERNAL
}

/** A code from outside the closed set, which only untyped callers can make, is internal. */
function ruleOf(error: ShelfError): WireRule {
  return Object.hasOwn(WIRE_ERRORS, error.code) ? WIRE_ERRORS[error.code] : INTERNAL
}

/** What crosses the wire for an error: no stack, no cause, no message that was not meant for the caller. */
export function toWireError(error: unknown, era: Era): WireError {
  const own = ShelfError.from(error)
  const rule = ruleOf(own)
  const message = rule.message ?? own.message
  return rule.data ? { code: rule[era], message, data: own.details } : { code: rule[era], message }
}
