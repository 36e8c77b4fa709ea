import { requireCount } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { SearchLimits } from '../search/index.ts'

export interface ToolLimits {
  /** The most bytes of text that one call gives; the rest is read with `offset`. Default 64 KiB. */
  readonly textBytes?: number
  /** A larger image is named and not shown. Default 3 MiB, 4 MiB as base64. */
  readonly imageBytes?: number
  /** The most bytes of one read of a source that gives no parts, in process; an Engine has its own limit. Default 5 MiB. */
  readonly maxRead?: number
  /** Resources of a page of `list_resources`. Default 50. */
  readonly pageItems?: number
  /** How long `find_resources` waits until contents are indexed, in milliseconds. Default 5,000. */
  readonly indexWaitMs?: number
  /** Callers for whom an index is kept; the one that asked longest ago gives up its own. Default 8. */
  readonly indexes?: number
  /** Tools that are made of templates. Default 50. */
  readonly templateTools?: number
}

export interface ResourceToolsOptions {
  /** A tool for each template, or for those whose text is named. Default false: they are found, and read by their URIs. */
  readonly templates?: boolean | readonly string[]
  readonly limits?: ToolLimits
  /** What an index takes in; see `openSearch`. */
  readonly search?: SearchLimits
  /** Told of errors of which a model only learns that there was one. Default: nobody. */
  readonly onError?: (error: unknown) => void
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

export type Limits = Required<ToolLimits>

const DEFAULTS: Limits = {
  textBytes: 64 * 1024,
  imageBytes: 3 * 1024 * 1024,
  maxRead: 5 * 1024 * 1024,
  pageItems: 50,
  indexWaitMs: 5_000,
  indexes: 8,
  templateTools: 50,
}

/** The least that makes sense: a character has up to four bytes. */
const LEAST: Readonly<Partial<Limits>> = { textBytes: 4, imageBytes: 0, templateTools: 0 }

/** @throws ShelfError `invalid-option` */
export function limitsOf(given: ToolLimits = {}): Limits {
  const limits: Record<string, number> = {}
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const key = name as keyof Limits
    limits[name] = requireCount(name, given[key] ?? usual, LEAST[key] ?? 1)
  }
  return limits as unknown as Limits
}
