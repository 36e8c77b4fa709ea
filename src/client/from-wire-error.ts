import { notFound, ShelfError } from '../errors.ts'
import type { UncheckedObject } from '../protocol/index.ts'
import { isObject, isStrings } from '../protocol/index.ts'

/** What was asked when an error came back. */
export interface Asked {
  readonly method: string
  /** The URI that was asked for, where there is one. */
  readonly uri?: string | undefined
  /** Whether a cursor was sent. */
  readonly cursor?: boolean | undefined
}

/** Text of a server is shown no longer than this. */
const LONGEST_MESSAGE = 1_000

/**
 * The error object of an answer as a ShelfError. Both -32002 and -32602 are "not found" where a URI was asked for:
 * revisions and servers differ. Never throws, whatever the server sent.
 */
export function fromWireError(error: unknown, asked: Asked): ShelfError {
  const { code, message, data } = isObject(error) ? error : {}
  const text = typeof message === 'string' ? message.slice(0, LONGEST_MESSAGE) : ''
  const rpcCode = typeof code === 'number' ? code : 0
  const details = isObject(data) ? data : {}
  switch (rpcCode) {
    case -32002:
      return asked.uri === undefined ? serverError(rpcCode, text, data, asked) : notFound(asked.uri)
    case -32601:
      return new ShelfError('method-not-found', `The server has no method ${asked.method}`, { method: asked.method })
    case -32602:
      return invalidParams(asked, text, details)
    case -32021:
      return new ShelfError('missing-capability', said(text, 'The server needs more of this client'), {
        requiredCapabilities: isObject(details['requiredCapabilities']) ? details['requiredCapabilities'] : {},
      })
    case 10_400:
      return new ShelfError('refused', said(text, 'The server refused'), asked.uri === undefined ? {} : { uri: asked.uri })
    case 10_413:
      return new ShelfError('too-large', said(text, 'The answer would be too large'), {
        size: numberIn(details, 'size'),
        limit: numberIn(details, 'limit'),
      })
    case 10_429:
      return new ShelfError('busy', said(text, 'The server is busy'), {
        ...(typeof details['retryAfterMs'] === 'number' && { retryAfterMs: details['retryAfterMs'] }),
      })
    case 10_503:
      return new ShelfError('unavailable', said(text, 'The server cannot reach its data now'), {})
    case 10_504:
      return new ShelfError('timeout', said(text, 'The server ran out of time'), { afterMs: numberIn(details, 'afterMs') })
    default:
      return serverError(rpcCode, text, data, asked)
  }
}

function serverError(rpcCode: number, text: string, data: unknown, { method }: Asked): ShelfError {
  const message = `The server answered ${method} with error ${rpcCode}: ${said(text, 'no message')}`
  return new ShelfError('server-error', message, { rpcCode, ...(data !== undefined && { data }) })
}

function invalidParams(asked: Asked, text: string, { uri, owners }: UncheckedObject): ShelfError {
  // One of our own gateways: several of its servers have the URI.
  if (typeof uri === 'string' && isStrings(owners)) return new ShelfError('ambiguous', text, { uri, owners })
  // Of a directory, what was there for the page before is there: whoever begins again will hear if it is not.
  if (asked.cursor === true) return new ShelfError('invalid-cursor', said(text, 'The server does not take this cursor'), {})
  if (asked.uri !== undefined) return notFound(asked.uri)
  return new ShelfError('invalid-params', said(text, `The server does not take these parameters of ${asked.method}`), {})
}

function said(text: string, otherwise: string): string {
  return text === '' ? otherwise : text
}

function numberIn(details: { readonly [key: string]: unknown }, key: string): number {
  const value = details[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
