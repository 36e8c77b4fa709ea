import type { EngineCore } from './engine-core.ts'
import type { LegacySession } from './legacy-session.ts'

/** What the methods of the connection itself need of a Peer. */
export interface Connection {
  readonly core: EngineCore
  /** On HTTP: revisions without Streamable HTTP are not agreed on. */
  readonly http: boolean
  /** Set by `initialize`. */
  legacy: LegacySession | undefined
}
