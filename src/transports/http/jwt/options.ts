import { ShelfError } from '../../../errors.ts'
import type { Clock } from '../../../protocol/index.ts'
import { secureUrl } from '../secure-url.ts'
import type { Fetch } from './fetch-json.ts'

/** Signatures that only the issuer can make. Those of a shared secret are none: who verifies could sign. */
const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const

export type JwtAlgorithm = (typeof ASYMMETRIC)[number]

/** Which JSON Web Tokens are taken. */
export interface JwtOptions {
  /** The `iss` of tokens, exactly: the URL of the authorization server. */
  readonly issuer: string
  /** One of these is in the `aud` of tokens, exactly: the canonical URI of the endpoint, or what the issuer calls it. */
  readonly audience: string | readonly string[]
  /** Where the keys are. Default: as the metadata of the issuer says. */
  readonly jwksUri?: string
  /** Default: all there are, RS, PS and ES of 256, 384 and 512, EdDSA and Ed25519. */
  readonly algorithms?: readonly JwtAlgorithm[]
  /** How far clocks may be apart, in seconds, at most 300. Default 60. */
  readonly clockToleranceS?: number
  /** Takes the place of the global `fetch`, for keys and metadata. */
  readonly fetch?: Fetch
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

export interface CheckedJwtOptions {
  readonly issuer: string
  readonly audience: readonly string[]
  readonly jwksUri: URL | undefined
  readonly algorithms: ReadonlySet<string>
  readonly toleranceS: number
}

/** @throws ShelfError `invalid-option` */
export function checkJwtOptions(options: JwtOptions): CheckedJwtOptions {
  const { issuer, jwksUri, algorithms = ASYMMETRIC, clockToleranceS: toleranceS = 60 } = options
  if (secureUrl(issuer, 'issuer').search !== '') throw refused('issuer', 'issuer has no query (RFC 8414 section 2)')
  const audience = typeof options.audience === 'string' ? [options.audience] : options.audience
  if (!Array.isArray(audience) || audience.length === 0 || audience.some((each) => typeof each !== 'string' || each === ''))
    throw refused('audience', 'audience takes the URI that tokens are for, without which those for others would do')
  if (algorithms.length === 0 || algorithms.some((each) => !ASYMMETRIC.includes(each)))
    throw refused('algorithms', `algorithms takes some of ${ASYMMETRIC.join(', ')}, got ${JSON.stringify(algorithms)}`)
  if (!(toleranceS >= 0 && toleranceS <= 300))
    throw refused('clockToleranceS', `clockToleranceS takes 0 to 300 seconds, got ${toleranceS}`)
  return {
    issuer,
    audience,
    jwksUri: jwksUri === undefined ? undefined : secureUrl(jwksUri, 'jwksUri'),
    algorithms: new Set<string>(algorithms),
    toleranceS,
  }
}

function refused(option: string, message: string): ShelfError<'invalid-option'> {
  return new ShelfError('invalid-option', message, { option })
}
