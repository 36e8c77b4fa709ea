import type { Kind } from '../kinds/index.ts'

/** What a chooser is told of a resource. All of it but the id is what some server says: data, whatever it reads like. */
export interface ChooserCandidate {
  /** Made for this one question; nothing else names a resource to a chooser. */
  readonly id: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly uri: string
  readonly server?: string
  readonly kind: Kind
  /** Bytes. */
  readonly size?: number
}

export interface ChooserRequest {
  readonly question: string
  /** The most relevant first, by what the index knows. */
  readonly candidates: readonly ChooserCandidate[]
  /** Tokens for the contents of all that is chosen. */
  readonly budget: number
  /** The most that can be chosen. */
  readonly limit: number
  readonly signal: AbortSignal
}

export interface ChooserPick {
  readonly id: string
  readonly reason?: string
}

/**
 * Somebody who chooses: a model, as a rule. What it answers is checked; when it fails, or answers what cannot be, heuristics
 * choose instead.
 */
export interface Chooser {
  /** For reasons that people read. */
  readonly name: string
  /** The best first; none of them is an answer, too. */
  choose(request: ChooserRequest): Promise<readonly ChooserPick[]>
}
