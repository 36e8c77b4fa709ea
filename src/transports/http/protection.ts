import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Attempts } from './attempts.ts'
import { Identity } from './identity.ts'
import type { EndpointOptions } from './options.ts'
import type { Reporter } from './reporter.ts'
import { ResourceMetadata } from './resource.ts'
import { isScope } from './scope.ts'

/** What stands between an endpoint and whoever asks; nothing of it where everybody is the local user. */
export interface Protection {
  readonly identity: Identity | undefined
  readonly metadata: ResourceMetadata | undefined
}

/** What it needs of the server it is for. */
export interface ProtectedServer {
  /** Of the endpoint; undefined for everywhere. */
  readonly path: string | undefined
  readonly clock: Clock
  readonly report: Reporter
  readonly attempts?: Attempts | undefined
}

/** @throws ShelfError `invalid-option` */
export function protect(options: EndpointOptions, { path, ...server }: ProtectedServer): Protection {
  const { authenticate, resource, requiredScopes = [] } = options
  const odd = requiredScopes.find((scope) => !isScope(scope))
  if (odd !== undefined) throw refused('requiredScopes', `requiredScopes takes scopes, got ${JSON.stringify(odd)}`)
  if (authenticate === undefined) {
    if (resource !== undefined) throw refused('resource', 'resource promises that tokens are looked at: give authenticate, too')
    if (requiredScopes.length > 0) throw refused('requiredScopes', 'nobody has a scope without authenticate: give that, too')
    return { identity: undefined, metadata: undefined }
  }
  const metadata = resource === undefined ? undefined : new ResourceMetadata(resource, requiredScopes, path)
  return { identity: new Identity({ authenticate, requiredScopes, metadataUrl: metadata?.url, ...server }), metadata }
}

function refused(option: string, message: string): ShelfError<'invalid-option'> {
  return new ShelfError('invalid-option', message, { option })
}
