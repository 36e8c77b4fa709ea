import { ShelfError } from '../../errors.ts'
import type { HttpRequest } from './request.ts'
import type { HeaderList } from './reply.ts'
import { isScope } from './scope.ts'
import { secureUrl } from './secure-url.ts'

/** What clients are told of an endpoint that wants tokens of an authorization server (RFC 9728). */
export interface ResourceOptions {
  /**
   * The canonical URI of the endpoint, as clients use it: `https://docs.example.com/mcp`. Tokens are asked for with it, and
   * its host is one of those that are served.
   */
  readonly url: string
  /** The issuers whose tokens are taken, at least one. */
  readonly authorizationServers: readonly string[]
  /** Scopes that clients should ask for. Default: those that are required. */
  readonly scopesSupported?: readonly string[]
  /** A page for people who write clients. */
  readonly documentation?: string
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** An answer that is not of the protocol. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: HeaderList
  readonly body: string
}

/** The metadata document of a protected resource, and where it is. */
export class ResourceMetadata {
  /** The URL of the document, for challenges. */
  readonly url: string
  /** What `Host` says where clients come under the canonical URI. */
  readonly host: string
  readonly #paths: ReadonlySet<string>
  readonly #body: string

  /**
   * @param path of the endpoint here, which a proxy may call otherwise; undefined where it is not known
   * @throws ShelfError `invalid-option`
   */
  constructor(options: ResourceOptions, requiredScopes: readonly string[], path: string | undefined) {
    const { authorizationServers, scopesSupported = requiredScopes, documentation } = options
    const url = canonical(options.url)
    if (authorizationServers.length === 0)
      throw refused('resource.authorizationServers names nobody: list the issuer of the tokens')
    for (const server of authorizationServers) secureUrl(server, 'resource.authorizationServers')
    const odd = scopesSupported.find((scope) => !isScope(scope))
    if (odd !== undefined) throw refused(`resource.scopesSupported takes scopes, got ${JSON.stringify(odd)}`)
    const own = metadataPath(url.pathname)
    this.url = url.origin + own
    this.host = url.host
    this.#paths = new Set([WELL_KNOWN, own, metadataPath(path ?? '/')])
    this.#body = JSON.stringify({
      resource: options.url,
      authorization_servers: authorizationServers,
      ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
      bearer_methods_supported: ['header'],
      ...(documentation !== undefined && { resource_documentation: documentation }),
    })
  }

  /** The answer to whoever asks for the document; undefined for other paths. No token is needed to learn how to get one. */
  answer(request: HttpRequest, path: string): PlainAnswer | undefined {
    if (!this.#paths.has(path)) return undefined
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: ['allow', 'GET, HEAD'], body: '' }
    return { status: 200, headers: ['content-type', 'application/json'], body: this.#body }
  }
}

/** Where the metadata of an endpoint is, by its path (RFC 9728 section 3.1): a slash at the end of the host does not count. */
export function metadataPath(path: string): string {
  return path === '/' ? WELL_KNOWN : WELL_KNOWN + path
}

/** One form only, since clients and authorization servers compare it as text. */
function canonical(text: string): URL {
  const url = secureUrl(text, 'resource.url')
  if (url.search !== '') throw refused(`resource.url has a query, which the URI of an endpoint has not: ${JSON.stringify(text)}`)
  if (url.href !== text && url.href !== `${text}/`)
    throw refused(`resource.url takes the canonical form ${JSON.stringify(url.href)}, got ${JSON.stringify(text)}`)
  return url
}

function refused(message: string): ShelfError<'invalid-option'> {
  return new ShelfError('invalid-option', message, { option: 'resource' })
}
