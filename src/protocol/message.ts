import { ShelfError } from '../errors.ts'
import type { UncheckedObject } from './json.ts'
import { isObject } from './json.ts'

/** Identifies a request among those in flight; a string or an integer, never null. */
export type RequestId = string | number

export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: UncheckedObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: UncheckedObject }
  | { readonly kind: 'response'; readonly id: RequestId }
  | { readonly kind: 'invalid'; readonly id?: RequestId; readonly reason: string }

const NO_PARAMS: UncheckedObject = {}

/** What a decoded value is, as a message (basic/index, Messages). Arrays are the caller's business. Never throws. */
export function readMessage(value: unknown): Message {
  if (!isObject(value)) return invalid(undefined, 'A message is a JSON object')
  const { id, method, params } = value
  if (value['jsonrpc'] !== '2.0') return invalid(id, 'jsonrpc must be "2.0"')
  if (typeof method === 'string') {
    if (params !== undefined && !isObject(params)) return invalid(id, 'params must be an object')
    if (id === undefined) return { kind: 'notification', method, params: params ?? NO_PARAMS }
    if (!isRequestId(id)) return invalid(id, 'id must be a string or an integer')
    return { kind: 'request', id, method, params: params ?? NO_PARAMS }
  }
  if (method !== undefined) return invalid(id, 'method must be a string')
  if (isRequestId(id) && ('result' in value || 'error' in value)) return { kind: 'response', id }
  return invalid(id, 'A message has a method, or an id with a result or an error')
}

/** With the id where it is one, so that the error can be answered to it. */
function invalid(id: unknown, reason: string): Message {
  return isRequestId(id) ? { kind: 'invalid', id, reason } : { kind: 'invalid', reason }
}

/** True for what the protocol allows as an id. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** The string under a key of `params`, or `invalid-params` naming it. */
export function stringParam(params: UncheckedObject, key: string): string {
  const value = params[key]
  if (typeof value === 'string') return value
  throw new ShelfError('invalid-params', `params.${key} must be a string`, { param: key })
}

/** The object under a key of `params`, or undefined if there is none; `invalid-params` if it is something else. */
export function objectParam(params: UncheckedObject, key: string): UncheckedObject | undefined {
  const value = params[key]
  if (value === undefined || isObject(value)) return value
  throw new ShelfError('invalid-params', `params.${key} must be an object`, { param: key })
}
