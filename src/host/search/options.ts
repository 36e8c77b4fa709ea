import type { Notice } from '../../library/index.ts'
import { LONGEST_MS, requireCount, requireLimit } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'

/** How far an index is, and what it could not do. */
export interface SearchProgress {
  readonly resources: number
  readonly templates: number
  /** Resources of which contents are indexed. */
  readonly contents: number
  /** What these take up, in bytes. */
  readonly contentsBytes: number
  /** Texts that were too large, or for which no room was left. */
  readonly skipped: number
  /** Texts that could not be read. */
  readonly failed: number
  /** Reads that are still to come, of texts that changed too. */
  readonly waiting: number
}

export interface SearchLimits {
  /** Resources beyond it are left out, with a notice. Default 100,000. */
  readonly maxResources?: number
  /** For what is listed, with its terms: about what it costs in memory. Further resources are left out, with a notice. Default 128 MiB. */
  readonly metadataBytes?: number
  /** For the contents of texts, of all together. Further ones are found by what is listed of them. Default 32 MiB. */
  readonly contentsBytes?: number
  /** Of one text; a larger one is not read. Default 256 KiB. */
  readonly perResourceBytes?: number
  /** Different terms; beyond it new ones are not taken in. Default 500,000. */
  readonly maxTerms?: number
  /** Templates beyond it are left out, with a notice. Default 10,000. */
  readonly maxTemplates?: number
  /** Of those whose contents are indexed, how many are watched one by one, where changes must be asked for. Default 1,000. */
  readonly watchedUris?: number
  /** Reads at a time. Default 4. */
  readonly concurrency?: number
  /** For one answer of the provider, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
}

export interface SearchOptions extends SearchLimits {
  /** Ends the index. */
  readonly signal?: AbortSignal
  /** Told now and then while there is work, and when it is done. */
  readonly onProgress?: (progress: SearchProgress) => void
  /** What is worth telling a person: what was left out, what the provider said, what failed. */
  readonly onNotice?: (notice: Notice) => void
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

export type Limits = Required<SearchLimits>

const DEFAULTS: Limits = {
  maxResources: 100_000,
  metadataBytes: 128 * 1024 * 1024,
  contentsBytes: 32 * 1024 * 1024,
  perResourceBytes: 256 * 1024,
  maxTerms: 500_000,
  maxTemplates: 10_000,
  watchedUris: 1_000,
  concurrency: 4,
  timeoutMs: 30_000,
}

/** @throws ShelfError `invalid-option` */
export function limitsOf(options: SearchLimits): Limits {
  const limits: Record<string, number> = {}
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = options[name as keyof Limits] ?? usual
    limits[name] =
      name === 'timeoutMs' ? requireLimit(name, value, 1, LONGEST_MS) : requireCount(name, value, name === 'concurrency' ? 1 : 0)
  }
  return limits as unknown as Limits
}

/** @throws nothing: what a listener throws is its own affair */
export function tell<T>(listener: ((what: T) => void) | undefined, what: T): void {
  try {
    listener?.(what)
  } catch {
    // The index goes on all the same.
  }
}
