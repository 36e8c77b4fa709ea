import type { Implementation, Revision, UncheckedObject } from '../protocol/index.ts'
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_VERSION } from '../protocol/index.ts'

/** The `_meta` that every modern request carries (basic/index, `_meta`). */
export function envelope(revision: Revision, info: Implementation, capabilities: UncheckedObject): UncheckedObject {
  return { [META_VERSION]: revision, [META_CLIENT_INFO]: info, [META_CLIENT_CAPABILITIES]: capabilities }
}
