import type { Principal } from '../library/index.ts'
import type { EngineCore } from './engine-core.ts'
import type { LegacySession } from './legacy-session.ts'

/** What the methods of the connection itself need of a Peer. */
export interface Connection {
  readonly core: EngineCore
  /** Who the client is now. */
  readonly principal: Principal
  /** On HTTP: revisions without Streamable HTTP are not agreed on. */
  readonly http: boolean
  /** Set by `initialize`. */
  legacy: LegacySession | undefined
  /** Settles when listen streams are to end with their results; rejects when the signal fires first. */
  untilListeningEnds(signal: AbortSignal): Promise<void>
}
