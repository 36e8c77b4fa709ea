import type { Library } from '../library/index.ts'
import type { EngineOptions } from './engine-core.ts'
import { EngineCore } from './engine-core.ts'
import type { Limits } from './limits.ts'
import type { PeerOptions } from './peer.ts'
import { Peer } from './peer.ts'

/**
 * A server without a wire: it takes decoded messages of any channel and answers them in both eras. Transports
 * open a Peer for each connection, legacy session, or modern HTTP request.
 */
export interface Engine extends AsyncDisposable {
  readonly limits: Limits
  openPeer(options: PeerOptions): Peer
  /** How many listeners there are: streams of `subscriptions/listen` and legacy connections. */
  readonly listeners: number
  /** Ends every listen stream with its result. The Library stays open. */
  close(): Promise<void>
}

/** Starts a Library and serves it. */
export async function openEngine(library: Library, options: EngineOptions): Promise<Engine> {
  await library.start()
  const core = new EngineCore(library, options)
  try {
    await core.listeners.start()
  } catch (error) {
    await core.close().catch(() => undefined)
    throw error
  }
  return {
    limits: core.limits,
    openPeer: (peer) => new Peer(core, peer),
    get listeners() {
      return core.listeners.size
    },
    close: () => core.close(),
    [Symbol.asyncDispose]: () => core.close(),
  }
}
