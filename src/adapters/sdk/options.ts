import type { Principal } from '../../library/index.ts'
import { LOCAL } from '../../library/index.ts'
import type { EngineOptions } from '../../server/index.ts'
import type { OfficialContext } from './official-server.ts'

export interface SdkLibraryOptions extends Partial<Omit<EngineOptions, 'modules'>> {
  /**
   * Who asks. Default: with `authInfo` its client, with its scopes and `extra` as claims; without it the local user, so that
   * whoever reaches a server without authentication reads everything.
   */
  readonly principal?: (context: OfficialContext) => Principal
}

export function principalOf(context: OfficialContext): Principal {
  const auth = context.http?.authInfo ?? context.authInfo
  if (auth === undefined) return LOCAL
  return {
    id: auth.clientId,
    kind: 'authenticated',
    scopes: auth.scopes,
    claims: auth.extra ?? {},
    ...(auth.expiresAt !== undefined && { expiresAt: auth.expiresAt * 1_000 }),
  }
}
