import { ShelfError } from '../../errors.ts'
import { printable } from '../../runtime/index.ts'

/** Of the text of an answer, in a message. */
const EXCERPT = 200

/** What was answered instead of an answer. */
export interface Refusal {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of the server; its path may be a secret. */
  readonly origin: string
  /** The method of the message that was sent. */
  readonly method: string
  /** Its size, in bytes. */
  readonly size: number
}

/** A status that is no success, as an error that says what to do. */
export function statusFailure(refusal: Refusal): ShelfError {
  const { status, headers, origin, method, size } = refusal
  const said = excerpt(refusal)
  const answered = `${origin} answered ${status}${said}`
  switch (status) {
    case 401:
      return new ShelfError('refused', `${origin} needs authorization: log in, or give it a token${said}`, {})
    case 403:
      return new ShelfError('refused', `${origin} forbids this to whoever sent it${said}`, {})
    case 413:
      return new ShelfError('too-large', `${origin} takes no request of ${size} bytes${said}`, { size, limit: 0 })
    case 429: {
      const wait = retryAfter(headers.get('retry-after'))
      const when = wait === undefined ? 'later' : `in ${Math.ceil(wait / 1_000)} s`
      return new ShelfError('busy', `${origin} takes no more requests for now: try again ${when}${said}`, {
        ...(wait !== undefined && { retryAfterMs: wait }),
      })
    }
    case 404:
    case 405:
      return new ShelfError('unsupported', `${answered}: is this the address of its MCP endpoint?`, { operation: method })
    case 400:
    case 406:
    case 410:
    case 415:
    case 501:
      return new ShelfError('unsupported', answered, { operation: method })
    default:
  }
  const hint = status >= 500 ? ': it fails, or what stands before it; try again later' : ''
  return new ShelfError('unavailable', `${answered}${hint}`, {})
}

/** What was answered with success, and is no answer. */
export function wrongContent(refusal: Refusal): ShelfError<'unavailable'> {
  const type = printable(refusal.headers.get('content-type') ?? 'nothing').slice(0, EXCERPT)
  const hint = 'is this the address of its MCP endpoint?'
  return new ShelfError('unavailable', `${refusal.origin} answered ${type} instead of JSON${excerpt(refusal)}: ${hint}`, {})
}

/** Codes of what happens below HTTP, each with what is told of it. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the server running?',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up: is this machine online?',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ETIMEDOUT: 'it cannot be reached: nothing answered',
  UND_ERR_CONNECT_TIMEOUT: 'it cannot be reached: nothing answered',
  UND_ERR_HEADERS_TIMEOUT: 'it did not begin an answer',
  UND_ERR_BODY_TIMEOUT: 'its answer did not go on',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer was cut off',
  EHOSTUNREACH: 'it cannot be reached from here',
  ENETUNREACH: 'it cannot be reached from here',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: try http:// instead of https://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: try http:// instead of https://',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** What fetch, or a body that broke off, rejected with. */
export function networkFailure(error: unknown, origin: string): ShelfError {
  if (error instanceof ShelfError) return error
  const cause = causeOf(error)
  // Of a DOMException the code is a number: it says that somebody gave up.
  if (cause.name === 'AbortError') return ShelfError.from(cause)
  const told = 'code' in cause ? cause.code : undefined
  const code = typeof told === 'string' ? told : ''
  const text = NETWORK[code] ?? certificate(code) ?? (printable(cause.message).slice(0, EXCERPT) || 'the connection failed')
  return new ShelfError('unavailable', `${origin}: ${text}`, {}, { cause: error })
}

function certificate(code: string): string | undefined {
  if (!/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return code.startsWith('HPE_') ? 'it does not speak HTTP' : undefined
  return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS names a file of further authorities`
}

function causeOf(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error))
  for (let depth = 0; depth < 5 && cause.cause instanceof Error; depth++) cause = cause.cause
  return cause
}

/** In milliseconds; seconds or a date on the wire. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** What the server said, if it is for people to read. */
function excerpt({ text, headers }: Refusal): string {
  if (/html/i.test(headers.get('content-type') ?? '') || /^\s*</.test(text)) return ' (an HTML page)'
  const line = printable(text.trim().slice(0, EXCERPT))
  return line === '' ? '' : ` (${line})`
}
