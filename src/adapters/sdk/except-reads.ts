import { RESOURCES_READ } from '../../protocol/index.ts'
import type { OfficialContext } from './official-server.ts'

/**
 * A `requestState.verify` for servers of `server` 2 that have states of their own and a Library: the states of reads are the
 * Library's, which opens the seals itself, and all others go to `verify` as before.
 */
export function exceptReads<C extends OfficialContext, T>(
  verify: (state: string, context: C) => T,
): (state: string, context: C) => T | string {
  return (state, context) => (context.mcpReq?.method === RESOURCES_READ.method ? state : verify(state, context))
}
