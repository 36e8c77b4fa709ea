import type { SearchResult } from 'minisearch'
import type { SearchField, TermIndex } from './term-index.ts'
import { mistakes, queryTerms } from './term-index.ts'

/** A document that was found. */
export interface TermHit {
  readonly id: string
  /** BM25 over the fields by their weights, times how many of the words were found. */
  readonly score: number
  /** Of the document. */
  readonly terms: readonly string[]
  readonly fields: readonly SearchField[]
}

/** What indexes of different fields of the same documents find together, the best first. */
export function find(
  indexes: readonly Pick<TermIndex, 'search'>[],
  query: string,
  admits: (id: string) => boolean,
  limit: number,
): readonly TermHit[] {
  const known = new Set<string>()
  const filter = (result: SearchResult): boolean => {
    for (const term of result.queryTerms) known.add(term)
    return admits(result.id as string)
  }
  let results = indexes.map((index) => index.search(query, filter))
  // What nothing has may be mistyped. To look for what is nearly some common word would cost time and find noise.
  const mistyped = new Set(queryTerms(query).filter((term) => !known.has(term) && mistakes(term) > 0))
  if (mistyped.size > 0) results = indexes.map((index) => index.search(query, filter, mistyped))
  const byId = new Map<string, Found>()
  for (const result of results.flat()) {
    const id = result.id as string
    const before = byId.get(id)
    byId.set(id, before === undefined ? { score: result.score, first: result } : both(before.first, result))
  }
  return [...byId]
    .toSorted(([a, one], [b, other]) => other.score - one.score || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([id, { score, first, second }]) => {
      const match = { ...first.match, ...second?.match }
      const fields = [first, second].flatMap((result) => Object.values(result?.match ?? {}).flat())
      return { id, score, terms: Object.keys(match), fields: FIELDS.filter((field) => fields.includes(field)) }
    })
}

interface Found {
  readonly score: number
  readonly first: SearchResult
  readonly second?: SearchResult
}

const FIELDS: readonly SearchField[] = ['name', 'title', 'description', 'uri', 'contents']

/** A score is a sum over fields, times the number of words; so it is of both together. */
function both(first: SearchResult, second: SearchResult): Found {
  const words = new Set([...first.queryTerms, ...second.queryTerms]).size
  const sum = first.score / Math.max(1, first.queryTerms.length) + second.score / Math.max(1, second.queryTerms.length)
  return { score: sum * words, first, second }
}
