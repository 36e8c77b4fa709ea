import { ShelfError } from '../../../errors.ts'
import { printable } from '../../../runtime/index.ts'
import { isLocal, isSecure } from '../secure-url.ts'
import { fetchJson } from './fetch-json.ts'
import type { Fetch } from './fetch-json.ts'

/**
 * Where an issuer keeps its keys, by its metadata (RFC 8414, and OpenID Connect Discovery): the first document that names
 * this very issuer counts.
 *
 * @throws ShelfError `unavailable`
 */
export async function findKeys(issuer: string, fetch: Fetch): Promise<URL> {
  let failure: unknown
  for (const url of metadataUrls(new URL(issuer))) {
    try {
      const { issuer: named, jwks_uri: keys } = await fetchJson(url, fetch)
      if (named !== issuer) throw odd(url, `is of ${shown(named)}, not of the issuer ${issuer}`)
      return keysUrl(keys, issuer, url)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** In the order of the specification (basic/authorization/authorization-server-discovery). */
export function metadataUrls({ origin, pathname }: URL): readonly URL[] {
  const path = pathname.replace(/\/+$/, '')
  const paths = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`]
  if (path !== '') paths.push(`${path}/.well-known/openid-configuration`)
  return paths.map((each) => new URL(each, origin))
}

/** An issuer elsewhere does not send anybody to this machine. */
function keysUrl(value: unknown, issuer: string, from: URL): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !isSecure(url) || (isLocal(url) && !isLocal(new URL(issuer))))
    throw odd(from, `names keys where none are fetched: ${shown(value)}`)
  return url
}

function odd(url: URL, what: string): ShelfError<'unavailable'> {
  return new ShelfError('unavailable', `${url.href} ${what}`, {})
}

function shown(value: unknown): string {
  return typeof value === 'string' ? printable(value).slice(0, 200) : 'nobody'
}
