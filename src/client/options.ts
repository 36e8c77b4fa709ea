import type { Notice } from '../library/index.ts'
import type { Clock, Era, Implementation, UncheckedObject } from '../protocol/index.ts'
import type { InputHandler } from './input.ts'
import type { ResultCache } from './result-cache.ts'

export interface ClientOptions {
  /** What this program says of itself. Default: `shelfmark`. */
  readonly info?: Implementation
  /** How long a request may take, in milliseconds; the server is told when it is given up. Default 30,000. */
  readonly timeoutMs?: number
  /** How long connecting may take, in milliseconds: a server may be downloaded first. Default 60,000. */
  readonly connectTimeoutMs?: number
  /** How long a server may be silent before it is taken for a legacy one, in milliseconds. Default 3,000. */
  readonly probeMs?: number
  /** The era of the server, if it is known from another time. Default: found out. */
  readonly era?: Era
  /**
   * Results that the server says may be kept. Default: a cache of 32 MiB of this client alone; `false` for none. One
   * cache may be shared by clients of several servers, each with `cacheAs`.
   */
  readonly cache?: ResultCache | false
  /** Whose results these are, in a shared cache: which server, and who asks. Default: nobody else's. */
  readonly cacheAs?: { readonly server: string; readonly principal: string }
  /** Answers what a server asks before it gives a resource (basic/patterns/mrtr). Default: such a read is refused. */
  readonly onInput?: InputHandler
  /** What the handler can do, as capabilities: `{ elicitation: {} }`; legacy servers, which would ask otherwise, are not told. Default: nothing. */
  readonly capabilities?: UncheckedObject
  /** What a person should know and nothing failed of: odd entries, lists cut short, connections made again. */
  readonly onNotice?: (notice: Notice) => void
  /**
   * How often what a server does not tell of is looked at, in milliseconds; varied by up to a fifth, and doubled after
   * each look that failed, up to eight times as long. Default 30,000.
   */
  readonly pollMs?: number
  /**
   * How often a server that is watched and says nothing is asked whether it lives, in milliseconds; one that does not
   * answer is left and connected to again. Default 30,000.
   */
  readonly livenessMs?: number
  /** Default: the clock of this machine. */
  readonly clock?: Clock
  /** Numbers from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number
}

/** What every request may be given. */
export interface AskOptions {
  /** Gives up. */
  readonly signal?: AbortSignal
  /** Instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number
  /** Asks the server, whatever is kept. */
  readonly fresh?: boolean
  /** How far the server is, if it tells. */
  readonly onProgress?: (done: number, total?: number, message?: string) => void
}
