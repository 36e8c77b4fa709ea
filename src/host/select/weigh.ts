import type { SearchHit } from '../search/index.ts'

/** How much the best match counts, and what else there is beside it. */
const WEIGHT = { relevance: 1, priority: 0.3, recency: 0.1, size: 0.1 }
/** Of two things that are alike otherwise, that of a month ago is half as recent. */
const HALF_LIFE_DAYS = 30
const DAY_MS = 86_400_000
/** A token is about so many bytes. */
const BYTES_OF_TOKEN = 4

/** A resource that may be chosen, with what speaks for it. */
export interface Weighed {
  readonly hit: SearchHit
  /** Of the best match, from 0 to 1. */
  readonly relevance: number
  readonly score: number
  readonly because: string
}

/** What is known of a resource before it is read, as one number and in words. */
export function weigh(hit: SearchHit, best: number, budget: number, now: number): Weighed {
  const { annotations, size = 0 } = hit.resource
  const relevance = best > 0 ? hit.score / best : 0
  const priority = annotations?.priority
  const days = daysSince(annotations?.lastModified, now)
  const isLarge = size > budget * BYTES_OF_TOKEN
  const score =
    WEIGHT.relevance * relevance +
    WEIGHT.priority * ((priority ?? 0.5) - 0.5) +
    (days === undefined ? 0 : WEIGHT.recency * 2 ** (-days / HALF_LIFE_DAYS)) -
    (isLarge ? WEIGHT.size : 0)
  const because = [
    relevance > 0
      ? `matches ${hit.terms.slice(0, 5).join(', ')} in ${hit.fields.join(', ')} (${relevance.toFixed(2)} of the best)`
      : 'matches no word',
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(days === undefined ? [] : [`changed ${days < 1 ? 'today' : `${Math.floor(days)} days ago`}`]),
    ...(isLarge ? ['larger than the budget'] : []),
  ].join('; ')
  return { hit, relevance, score, because }
}

/** A time to come counts as now. */
function daysSince(time: string | undefined, now: number): number | undefined {
  const then = Date.parse(time ?? '')
  return Number.isNaN(then) ? undefined : Math.max(0, now - then) / DAY_MS
}
