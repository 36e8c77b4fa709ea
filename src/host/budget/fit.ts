import { requireCount } from '../../library/index.ts'
import { KINDS } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import { outlineOf, partsOf } from './parts.ts'
import type { Part } from './parts.ts'
import { rankParts } from './rank-parts.ts'
import type { TokenCounter } from './token-counter.ts'

/** A text as far as a budget takes it. */
export interface Fitted {
  /** All of it, its best passages in their order, or what it is made of. */
  readonly form: 'whole' | 'passages' | 'outline'
  readonly parts: readonly Part[]
  /** What it is made of, where not all of it is here. */
  readonly outline: string
  readonly tokens: number
  /** What is not here, in UTF-16 units, and what to do to get it; undefined where all is. */
  readonly leftOut: { readonly characters: number; readonly advice: string } | undefined
}

export interface FitOptions {
  /** The most tokens. */
  readonly budget: number
  readonly counter: TokenCounter
  /** What is wanted of the text: passages that answer it come first. */
  readonly question?: string
}

/** Fewer tokens than that say nothing worth a place. */
const LEAST = 24
/** Of the budget, what an outline may take beside passages. */
const OUTLINE_SHARE = 0.15
/** What a part is aimed at, as a share of the budget: several passages say more than one. */
const PART_SHARE = 0.25
/** A text is looked through to so many units; of a longer one the beginning and the end. */
const MOST_SEARCHED = 4_000_000

/**
 * As much of a text as a budget takes; undefined where that is nothing worth having.
 *
 * @throws ShelfError `invalid-option` for a budget that is no whole number from 0 on
 */
export function fit(text: string, kind: Kind, { budget, counter, question = '' }: FitOptions): Fitted | undefined {
  requireCount('budget', budget, 0)
  const tokens = counter.count(text, budget)
  if (tokens <= budget) {
    return { form: 'whole', parts: [{ text, start: 0, end: text.length }], outline: '', tokens, leftOut: undefined }
  }
  if (budget < LEAST) return undefined
  const outline = counter.atMost(outlineOf(text, kind), Math.floor(budget * OUTLINE_SHARE))
  const passages = best(text, kind, { budget: budget - counter.count(outline), counter, question })
  if (passages.length > 0) return fitted('passages', text, passages, outline, counter)
  const alone = counter.atMost(outlineOf(text, kind), budget)
  return alone === '' ? undefined : fitted('outline', text, [], alone, counter)
}

function fitted(form: Fitted['form'], text: string, parts: readonly Part[], outline: string, counter: TokenCounter): Fitted {
  const here = parts.reduce((sum, part) => sum + part.text.length, 0)
  return {
    form,
    parts,
    outline,
    tokens: counter.count(outline) + parts.reduce((sum, part) => sum + counter.count(part.text), 0),
    leftOut: { characters: text.length - here, advice: 'read the resource itself, or a range of it' },
  }
}

/** The parts that fit, best first, in the order in which they stand. */
function best(text: string, kind: Kind, { budget, counter, question }: Required<FitOptions>): readonly Part[] {
  const longest = Math.max(200, Math.min(4_000, Math.floor(budget * PART_SHARE * 3.5)))
  const parts = searched(partsOf(text, kind, { longest }))
  const scores = question === '' ? parts.map(() => 0) : rankParts(parts, question)
  const byPlace = placesOf(parts.length, KINDS[kind].sample)
  const order = parts.map((_, index) => index).toSorted((a, b) => scores[b]! - scores[a]! || byPlace[a]! - byPlace[b]!)
  const chosen = new Set<number>()
  let left = budget
  // The head of a table says what its rows mean.
  if (kind === 'table' && parts.length > 0) order.unshift(0)
  for (const index of order) {
    if (left < LEAST) break
    if (chosen.has(index)) continue
    const size = counter.count(parts[index]!.text, left)
    if (size > left) continue
    chosen.add(index)
    left -= size
  }
  if (chosen.size === 0 && order.length > 0) return beginning(parts[order[0]!]!, budget, counter)
  return [...chosen].toSorted((a, b) => a - b).map((index) => parts[index]!)
}

function beginning(part: Part, budget: number, counter: TokenCounter): readonly Part[] {
  const text = counter.atMost(part.text, budget)
  return text === '' ? [] : [{ ...part, text, end: part.start + text.length }]
}

function searched(parts: readonly Part[]): readonly Part[] {
  const end = parts.at(-1)?.end ?? 0
  if (end <= MOST_SEARCHED) return parts
  return parts.filter((part) => part.end <= MOST_SEARCHED / 2 || part.start >= end - MOST_SEARCHED / 2)
}

/** How soon each place comes where nothing else is told: from the beginning on, or from both ends. */
function placesOf(count: number, sample: 'beginning' | 'ends'): readonly number[] {
  return Array.from({ length: count }, (_, index) =>
    sample === 'beginning' ? index : Math.min(2 * index, 2 * (count - 1 - index) + 1),
  )
}
