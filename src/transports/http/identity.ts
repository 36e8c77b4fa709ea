import { ShelfError } from '../../errors.ts'
import type { Principal } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Attempts } from './attempts.ts'
import type { Authenticate } from './authenticate.ts'
import { principalFrom } from './authenticate.ts'
import type { Refusal } from './refusal.ts'
import type { Reporter } from './reporter.ts'

/** `b64token` of RFC 6750 section 2.1, at most 16 KiB. */
const BEARER = /^bearer +([\w.~+/-]+=*)$/i
const LONGEST = 16 * 1024

/** How long it may take to find out whose a token is, in milliseconds. Who asks later may find it known by then. */
const ANSWER_MS = 10_000

/** One, so that it is told once. */
const LATE = new ShelfError('timeout', `authenticate gave no answer within ${ANSWER_MS} ms`, { afterMs: ANSWER_MS })

/** When a client may ask again while it cannot be found out who it is, in seconds. */
const RETRY_S = 1

export interface IdentityOptions {
  readonly authenticate: Authenticate
  /** All of them are needed for anything. */
  readonly requiredScopes: readonly string[]
  /** Where the metadata of the resource is (RFC 9728); undefined where there is none. */
  readonly metadataUrl: string | undefined
  readonly clock: Clock
  readonly report: Reporter
  /** Counts by address what fails. */
  readonly attempts?: Attempts | undefined
}

/** Who asks, by the bearer token that came (RFC 6750). */
export class Identity {
  readonly #options: IdentityOptions
  readonly #hints: string
  #reported: unknown

  constructor(options: IdentityOptions) {
    this.#options = options
    const { metadataUrl, requiredScopes } = options
    const metadata = metadataUrl === undefined ? '' : `, resource_metadata="${metadataUrl}"`
    this.#hints = `${metadata}${requiredScopes.length === 0 ? '' : `, scope="${requiredScopes.join(' ')}"`}`
  }

  /**
   * Who asks, or why nobody may. Never rejects.
   *
   * @param authorization the header as it came
   * @param address of the client, where it is known
   */
  async find(authorization: string | undefined, address?: string): Promise<Principal | Refusal> {
    // Without a token nothing is wrong with it: only how to come with one is said.
    if (authorization === undefined) return this.#unauthorized('A bearer token is wanted in the header Authorization')
    const token = tokenOf(authorization)
    if (token === undefined) return this.#unauthorized('Authorization must be "Bearer" and one token', 'invalid_request')
    const { attempts } = this.#options
    if (attempts === undefined || address === undefined) return this.#judge(await this.#ask(token))
    const attempt = attempts.begin(address, token)
    if (typeof attempt === 'number') return tooMany(attempt)
    const found = await this.#ask(token)
    attempt.ended(found === undefined ? 'bad' : found === 'unknown' ? 'unknown' : 'good')
    return this.#judge(found)
  }

  /**
   * Who a stream is of by now, if its token is still that of who opened it, with the same scopes. While that cannot be
   * found out it is, until it expires.
   */
  async again(authorization: string | undefined, was: Principal): Promise<Principal | undefined> {
    const token = authorization === undefined ? undefined : tokenOf(authorization)
    const found = token === undefined ? undefined : await this.#ask(token)
    if (found === 'unknown') return this.#isOver(was) ? undefined : was
    return found !== undefined && found.id === was.id && isSame(found.scopes, was.scopes) ? found : undefined
  }

  async #ask(token: string): Promise<Principal | 'unknown' | undefined> {
    const { authenticate, report } = this.#options
    try {
      const principal = principalFrom(await this.#inTime(authenticate(token)))
      return principal === undefined || this.#isOver(principal) ? undefined : principal
    } catch (error) {
      // What fails for all requests in the same way is one failure.
      if (error !== this.#reported) report(error, 'authentication')
      this.#reported = error
      return 'unknown'
    }
  }

  /** A stream whose time is over, and a client, are not to wait without end. */
  #inTime<T>(answer: T | Promise<T>): T | Promise<T> {
    if (!(answer instanceof Promise)) return answer
    return new Promise((resolve, reject) => {
      const stop = this.#options.clock.after(ANSWER_MS, () => reject(LATE))
      answer.finally(stop).then(resolve, reject)
    })
  }

  #isOver({ expiresAt }: Principal): boolean {
    // Written so that what is no number is over.
    return expiresAt !== undefined && !(expiresAt > this.#options.clock.wall())
  }

  #judge(found: Principal | 'unknown' | undefined): Principal | Refusal {
    if (found === 'unknown') return unavailable()
    if (found === undefined) return this.#unauthorized('The token is not known here, or no longer', 'invalid_token')
    if (this.#options.requiredScopes.every((scope) => found.scopes.includes(scope))) return found
    return this.#refused(403, 'The token has not the scopes that are needed here', 'insufficient_scope')
  }

  #unauthorized(message: string, error?: string): Refusal {
    return this.#refused(401, message, error)
  }

  #refused(status: number, message: string, error: string | undefined): Refusal {
    const challenge = `Bearer realm="shelfmark"${error === undefined ? '' : `, error="${error}"`}${this.#hints}`
    return { status, headers: ['www-authenticate', challenge], error: new ShelfError('refused', message, {}) }
  }
}

/** Told apart by what a Principal has and a Refusal has not. */
export function isPrincipal(identified: Principal | Refusal): identified is Principal {
  return 'id' in identified
}

function tokenOf(authorization: string): string | undefined {
  return authorization.length > LONGEST ? undefined : BEARER.exec(authorization)?.[1]
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((scope) => other.includes(scope))
}

function tooMany(waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const message = `Too many tokens of nobody came from this address: try again in ${seconds} s`
  return {
    status: 429,
    headers: ['retry-after', String(seconds)],
    error: new ShelfError('busy', message, { retryAfterMs: waitMs }),
  }
}

function unavailable(): Refusal {
  return {
    status: 503,
    headers: ['retry-after', String(RETRY_S)],
    error: new ShelfError('unavailable', 'Who asks cannot be found out now', {}),
  }
}
