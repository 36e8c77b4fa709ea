/**
 * What each error code carries in `details`. The keys are the closed set of codes:
 * a caller switches on `code`, never on the message.
 */
export interface ErrorDetails {
  /** Nothing readable under this URI for this caller: absent, denied and out of bounds answer alike. */
  'not-found': { readonly uri: string }
  /** A parameter of a request has the wrong type or value. */
  'invalid-params': { readonly param?: string }
  /** A cursor that this server did not make, or made for another query, caller or key. */
  'invalid-cursor': Record<never, never>
  /** Text that is not a URI within the limits of this library. */
  'invalid-uri': { readonly uri: string; readonly reason: UriFault; readonly offset: number }
  /** A URI template that is not RFC 6570, or that cannot be matched for sure. */
  'invalid-template': {
    readonly template: string
    readonly reason: TemplateFault
    readonly offset: number
    /** The template it conflicts with, for `duplicate`, `overlap` and `crowd`. */
    readonly other?: string
  }
  /** Values that a template cannot carry there and back. */
  'invalid-values': { readonly template: string; readonly variable: string; readonly reason: ValueFault }
  /** A URI, template shape or name is already taken; `first` and `second` say where. */
  duplicate: { readonly first: string; readonly second: string }
  /** An option of this library is out of its range. */
  'invalid-option': { readonly option: string }
  /** A resource or message is larger than the stated limit; both in bytes. */
  'too-large': { readonly size: number; readonly limit: number }
  /** Too much at once; worth another try after `retryAfterMs`. */
  busy: { readonly retryAfterMs?: number }
  /** No answer within the time allowed, in milliseconds. */
  timeout: { readonly afterMs: number }
  /** The caller gave up. */
  cancelled: Record<never, never>
  /** A source of data cannot be reached now. */
  unavailable: { readonly provider?: string }
  /** The provider or protocol revision has no such operation. */
  unsupported: { readonly operation: string }
  /** The author's own refusal: its message is meant for the caller and crosses the wire. */
  refused: { readonly uri?: string }
  /** The server at the other end answered with an error of its own: its JSON-RPC code, and `data` as it came. */
  'server-error': { readonly rpcCode: number; readonly data?: unknown }
  /** The server at the other end answered with something that the protocol does not allow. */
  'invalid-answer': { readonly method: string }
  /** Several servers have this URI; each reads it under a name of its own, as `owners` says. */
  ambiguous: { readonly uri: string; readonly owners: readonly string[] }
  /** Anything else. The message stays on this side of the wire. */
  internal: Record<never, never>
  /** Bytes that are not JSON. */
  'parse-error': Record<never, never>
  /** JSON that is not a message of the protocol, or not one for now. */
  'invalid-request': Record<never, never>
  /** No such method in this era, or none that this server offers. */
  'method-not-found': { readonly method: string }
  /** An HTTP header that is missing, malformed or says other than the body. */
  'header-mismatch': { readonly header: string }
  /** The request needs something the client did not declare, as a capabilities object. */
  'missing-capability': { readonly requiredCapabilities: { readonly [name: string]: unknown } }
  /** A protocol revision that is not served. */
  'unsupported-version': { readonly supported: readonly string[]; readonly requested: string }
}

export type ErrorCode = keyof ErrorDetails

/** Why text is not an acceptable URI (TEMPLATES section 2). */
export type UriFault = 'no-scheme' | 'percent' | 'character' | 'length'

/** Why a template is refused: grammar first, then matching, then conflicts with others. */
export type TemplateFault =
  | 'unclosed'
  | 'stray-brace'
  | 'empty'
  | 'operator'
  | 'name'
  | 'percent'
  | 'character'
  | 'modifier'
  | 'no-scheme'
  | 'scheme-variable'
  | 'adjacent'
  | 'two-elastic'
  | 'slash-tail'
  | 'explode-order'
  | 'label-run'
  | 'matrix-tail'
  | 'no-query'
  | 'second-query'
  | 'query-join'
  | 'query-tail'
  | 'query-order'
  | 'operator-here'
  | 'fragment-tail'
  | 'repeated'
  | 'prefix'
  | 'variables'
  | 'length'
  | 'duplicate'
  | 'overlap'
  | 'crowd'

/** Why a value does not survive `match(expand(v))`. */
export type ValueFault = 'nul' | 'map' | 'list' | 'absent' | 'empty' | 'gap' | 'triplet' | 'reserved' | 'separator' | 'type'

/** The one error class of this library. `code` is closed, `details` is typed by it. */
export class ShelfError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ShelfError'
  readonly code: C
  readonly details: ErrorDetails[C]

  constructor(code: C, message: string, details: ErrorDetails[C], options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
    this.details = details
  }

  /** True for a ShelfError with this code. */
  static is<C extends ErrorCode>(error: unknown, code: C): error is ShelfError<C> {
    return error instanceof ShelfError && error.code === code
  }

  /**
   * Any thrown value as a ShelfError. Aborts become `cancelled` and `timeout`; all else that is not
   * ours becomes `internal`, with the original as `cause`, which never crosses the wire.
   */
  static from(error: unknown): ShelfError {
    if (error instanceof ShelfError) return error
    try {
      const name = error instanceof Error ? error.name : ''
      if (name === 'AbortError') return new ShelfError('cancelled', 'Cancelled by the caller', {}, { cause: error })
      if (name === 'TimeoutError')
        return new ShelfError('timeout', 'No answer in the time allowed', { afterMs: 0 }, { cause: error })
      return new ShelfError('internal', error instanceof Error ? error.message : String(error), {}, { cause: error })
    } catch {
      // What has no text, such as an object without a prototype.
      return new ShelfError('internal', 'An error that cannot be put into words', {}, { cause: error })
    }
  }
}

/** The answer for anything that is not readable: same words for absent, denied and out of bounds. */
export function notFound(uri: string): ShelfError<'not-found'> {
  return new ShelfError('not-found', 'Resource not found', { uri })
}
