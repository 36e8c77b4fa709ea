import type { Resource } from '../../protocol/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Fitted, TokenCounter } from '../budget/index.ts'
import type { Medium } from '../bytes/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { ResourceSearch, SearchFilters } from '../search/index.ts'
import type { Chooser } from './chooser.ts'

export interface SelectOptions {
  /** Tokens for all that is chosen: for its contents, or for what `render` makes of them. */
  readonly budget: number
  /** What the model gets of it, as text or as data that counts as JSON. Default: none, and what is written round contents comes on top. */
  readonly render?: (chosen: readonly Choice[]) => unknown
  /** An index of the same provider for the same caller. Default: one that is made for this question. */
  readonly search?: ResourceSearch
  /** Default: that of `o200k_base`. */
  readonly counter?: TokenCounter
  /** URIs that are taken first, whatever they are about. */
  readonly pins?: readonly string[]
  /** Chooses among the candidates. Default: none, and heuristics choose. */
  readonly chooser?: Chooser
  readonly filters?: SearchFilters
  /** Matches that are looked at. Default 50. */
  readonly candidates?: number
  /** The most that are chosen beside pins. Default 12. */
  readonly limit?: number
  /** The most that one of them takes of the budget, from 0 to 1; of a longer one its best passages. Default 0.3. */
  readonly share?: number
  /** The least that one must match, as a part of what the best does, from 0 to 1. Default 0.2. */
  readonly threshold?: number
  /** Tokens for the list that a chooser is shown. Default 3,000. */
  readonly listTokens?: number
  /**
   * What the model takes as a block of its own, and the tokens of one, as `{ image: 1_600 }`. What is no text is rejected without.
   * Default: nothing.
   */
  readonly media?: Readonly<Partial<Record<Medium, number>>>
  /** Of one text, or block; a larger one is not read. Default 4 MiB. */
  readonly perResourceBytes?: number
  /** For one answer of the provider, or of the chooser, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

/** What goes into the context. */
export interface Choice {
  readonly resource: Resource
  readonly kind: Kind
  /** What heuristics make of it; pins have none. */
  readonly score: number
  /** What it takes of the budget. */
  readonly tokens: number
  /** Why it was chosen, for people. */
  readonly reason: string
  /** Its text; without parts where it is a block. */
  readonly fitted: Fitted
  /** A picture, a document or sound, to be rendered as a block. */
  readonly bytes?: Uint8Array
}

export interface Rejection {
  readonly resource: Resource
  /** Why it was not chosen, for people. */
  readonly reason: string
}

export interface Selection {
  readonly question: string
  /** In the order of their choice. */
  readonly chosen: readonly Choice[]
  /** Candidates that were not chosen. */
  readonly rejected: readonly Rejection[]
  /** Of all that is chosen. */
  readonly tokens: number
  readonly budget: number
  /** Who chose, and why not the chooser that was asked to. */
  readonly by: 'heuristics' | 'chooser'
  readonly failure?: string
}
