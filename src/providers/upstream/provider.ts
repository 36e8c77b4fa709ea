import type { Hub } from '../../client/index.ts'
import { openHub } from '../../client/index.ts'
import type { UpstreamOptions } from './options.ts'

/** What a server may ask for before it gives a resource (basic/patterns/mrtr); whoever asks us answers it, or cannot. */
const HANDED_ON = { elicitation: {}, sampling: {}, roots: {} }

/**
 * Serves what is on other servers: a Library with this mounted is a gateway. What a server asks before it gives a
 * resource is handed on to whoever reads it, and so is the answer.
 *
 * @throws ShelfError `invalid-option` for no servers, or a name that is none
 */
export function upstream(options: UpstreamOptions): Hub {
  return openHub({ name: 'upstream', ...options, client: { ...options.client, capabilities: HANDED_ON } })
}
