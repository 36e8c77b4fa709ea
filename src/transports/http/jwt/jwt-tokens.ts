import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { ShelfError } from '../../../errors.ts'
import { systemClock } from '../../../library/index.ts'
import { isObject } from '../../../protocol/index.ts'
import type { Authenticate } from '../authenticate.ts'
import { principalOf } from './claims.ts'
import { fetchJson } from './fetch-json.ts'
import type { Fetch } from './fetch-json.ts'
import { findKeys } from './issuer-metadata.ts'
import type { Keyed } from './key-set.ts'
import { KeySet } from './key-set.ts'
import { checkJwtOptions } from './options.ts'
import type { CheckedJwtOptions, JwtOptions } from './options.ts'

/** A longer token is nobody's, whatever is in it. */
const LONGEST = 16 * 1024
const LONGEST_KID = 256
const MAX_KEYS = 100

/** A signed token: three parts of base64url. One of five is encrypted, which nobody here can open. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** What an access token says that it is (RFC 9068 section 2.1, RFC 7519 section 5.1), if it says so. */
const TYPE = /^(application\/)?(at\+)?jwt$/i

interface Keys extends Keyed {
  readonly find: JWTVerifyGetKey
}

/**
 * Tokens that an authorization server signed (RFC 9068), for `authenticate`. Keys are fetched when the first token comes, and
 * again when they are four minutes old or a token names one that is not there. While they cannot be had, the known ones
 * do for ten minutes more; then, and where there are none, whoever asks gets 503. Nothing that a token says leads to a
 * request: `jku`, `x5u` and `jwk` are not looked at.
 *
 * The id of the Principal is the issuer, the client and the subject with blanks between, in which a blank is `%20`.
 *
 * @throws ShelfError `invalid-option`
 */
export function jwtTokens(options: JwtOptions): Authenticate {
  const checked = checkJwtOptions(options)
  const { fetch = globalThis.fetch, clock = systemClock } = options
  const keySet = new KeySet(keysOf(checked, fetch), clock)
  return async (token) => {
    if (token.length > LONGEST || !COMPACT.test(token)) return undefined
    const [{ decodeProtectedHeader }, { jwtVerify }] = await Promise.all([
      import('jose/decode/protected_header'),
      import('jose/jwt/verify'),
    ])
    const kid = kidOf(token, checked, decodeProtectedHeader)
    if (kid === undefined) return undefined
    const keys = await keySet.with(kid.value)
    if (keys === undefined) return undefined
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        algorithms: [...checked.algorithms],
        issuer: checked.issuer,
        audience: [...checked.audience],
        clockTolerance: checked.toleranceS,
        currentDate: new Date(clock.wall()),
      })
      return principalOf(payload, checked.toleranceS * 1_000)
    } catch {
      // Why it is not good is for nobody to learn.
      return undefined
    }
  }
}

/** The `kid` of a token, if it has one; undefined when its header says that it is none of those that are taken. */
function kidOf(
  token: string,
  { algorithms }: CheckedJwtOptions,
  decode: (token: string) => { readonly [name: string]: unknown },
): { readonly value: string | undefined } | undefined {
  let header
  try {
    header = decode(token)
  } catch {
    return undefined
  }
  const { alg, typ, kid } = header
  if (typeof alg !== 'string' || !algorithms.has(alg)) return undefined
  if (typ !== undefined && (typeof typ !== 'string' || !TYPE.test(typ))) return undefined
  if (kid === undefined) return { value: undefined }
  return typeof kid === 'string' && kid.length <= LONGEST_KID ? { value: kid } : undefined
}

/** Fetches the keys from the one address that was configured, or that the issuer names. */
function keysOf({ issuer, jwksUri }: CheckedJwtOptions, fetch: Fetch): () => Promise<Keys> {
  let found: URL | undefined
  return async () => {
    const url = jwksUri ?? found ?? (await findKeys(issuer, fetch))
    // Asked for again once its keys cannot be had: an issuer may move them.
    found = undefined
    const set = await fetchJson(url, fetch)
    const { keys } = set
    if (!Array.isArray(keys) || keys.length > MAX_KEYS || !keys.every(isObject))
      throw new ShelfError('unavailable', `${url.href} answered no set of keys, of at most ${MAX_KEYS}`, {})
    const { createLocalJWKSet } = await import('jose/jwks/local')
    const find = createLocalJWKSet(set as unknown as JSONWebKeySet)
    found = url
    return { find, kids: new Set(keys.map(({ kid }) => kid).filter((kid) => typeof kid === 'string')) }
  }
}
