import { readFileSync, statSync } from 'node:fs'
import type { Authenticate, HttpOptions } from '../transports/http/index.ts'
import { jwtTokens, tokenFile } from '../transports/http/index.ts'
import { say, UsageError } from './output.ts'
import type { HttpSettings, IdentitySettings, JwtSettings } from './serve/settings.ts'

type Identified = Pick<HttpOptions, 'authenticate' | 'requiredScopes' | 'resource'>

/**
 * Where and how `serveHttp` listens.
 *
 * @throws UsageError naming the file of a certificate or key that cannot be used
 */
export function listening({ host, port, tls, behindProxy, limits }: HttpSettings): HttpOptions {
  return {
    ...limits,
    ...(host !== undefined && { host }),
    port,
    ...(tls !== undefined && { tls: () => ({ cert: pem(tls.cert, 'certificate'), key: privatePem(tls.key) }) }),
    ...(behindProxy && { behindProxy: true }),
  }
}

/**
 * Whose tokens are taken, and what they must be good for; nothing where nobody needs one.
 *
 * @throws ShelfError `invalid-option` naming the option or the file
 */
export function identified({ tokens, jwt, publicUrl, requiredScopes = [] }: IdentitySettings): Identified {
  const listed = tokens === undefined ? undefined : tokenFile(tokens, say)
  const signed = jwt === undefined ? undefined : signedBy(jwt, publicUrl)
  if (listed === undefined && signed === undefined) return {}
  const authenticate: Authenticate = async (token) => (await listed?.(token)) ?? signed?.(token)
  return {
    authenticate,
    requiredScopes,
    ...(jwt !== undefined && publicUrl !== undefined && { resource: { url: publicUrl, authorizationServers: [jwt.issuer] } }),
  }
}

/** Tokens are for the URL under which clients come, unless it is said for what. */
function signedBy({ issuer, audience, jwks }: JwtSettings, publicUrl: string | undefined): Authenticate {
  return jwtTokens({ issuer, audience: audience ?? publicUrl ?? '', ...(jwks !== undefined && { jwksUri: jwks }) })
}

function pem(path: string, what: 'certificate' | 'key'): Buffer {
  try {
    return readFileSync(path)
  } catch {
    throw new UsageError(`The ${what} ${path} cannot be read: check the path and its permissions`)
  }
}

/** A key that others may read is no secret any more. */
function privatePem(path: string): Buffer {
  const key = pem(path, 'key')
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new UsageError(`The key ${path} can be read by others: chmod 600 it`)
  }
  return key
}
