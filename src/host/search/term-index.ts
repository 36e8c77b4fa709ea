import type MiniSearch from 'minisearch'
import type { SearchResult } from 'minisearch'
import { termsOf } from './terms.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Where a term was found. */
export type SearchField = 'name' | 'title' | 'description' | 'uri' | 'contents'

/** What a term counts for by where it is, in their order. */
const WEIGHTS: Readonly<Record<SearchField, number>> = { name: 4, title: 4, description: 2, uri: 2, contents: 1 }
/** How many terms of a field count. */
const TERMS: Readonly<Record<SearchField, number>> = { name: 64, title: 64, description: 256, uri: 128, contents: 20_000 }

const LONGEST_QUERY = 1_000
const TERMS_OF_QUERY = 32
/** What a word of a question counts for. */
const QUESTION_WORD = 0.4
/** What a term counts for that only begins like one of the query, or is nearly one. */
const SIMILAR = { prefix: 0.3, fuzzy: 0.45 }

/** Texts by field: every field of the index is there, if only as an empty text. */
export type Texts<F extends SearchField> = Readonly<Record<F, string>>

/**
 * BM25 over some fields. After any additions and removals it finds what an index finds that was built anew: documents are
 * taken out by their texts, so that nothing of them is left to be swept up later, or to be counted.
 */
export class TermIndex<F extends SearchField = SearchField> {
  readonly #index: MiniSearch<{ readonly id: string } & Texts<F>>
  #counted = 0

  private constructor(Index: typeof MiniSearch, fields: readonly F[], vocabulary: Vocabulary) {
    this.#index = new Index({
      fields: [...fields],
      tokenize: (text, field) => {
        const terms = termsOf(text, TERMS[field as F]).filter((term) => vocabulary.admits(term))
        this.#counted += terms.length
        return terms
      },
      processTerm: (term) => term,
      autoVacuum: false,
      logger: () => undefined,
      searchOptions: {
        boost: Object.fromEntries(fields.map((field) => [field, WEIGHTS[field]])),
        weights: SIMILAR,
        tokenize: queryTerms,
        prefix: (term) => term.length > 3,
        boostTerm: (term) => (QUESTION_WORDS.has(term) ? QUESTION_WORD : 1),
      },
    })
  }

  /** The library behind it is loaded with the first one. */
  static async open<F extends SearchField>(fields: readonly F[], vocabulary: Vocabulary): Promise<TermIndex<F>> {
    const { default: Index } = await import('minisearch')
    return new TermIndex(Index, fields, vocabulary)
  }

  /** Returns how many terms were taken in, repeated ones too. The id is not there yet. */
  add(id: string, texts: Texts<F>): number {
    this.#counted = 0
    this.#index.add({ id, ...texts })
    return this.#counted
  }

  /** Takes the texts as they were added. */
  remove(id: string, texts: Texts<F>): void {
    this.#index.remove({ id, ...texts })
  }

  /** All that has any term of the query, or something like one of those that are `mistyped`. */
  search(query: string, filter: (result: SearchResult) => boolean, mistyped?: ReadonlySet<string>): readonly SearchResult[] {
    return this.#index.search(query, { filter, ...(mistyped && { fuzzy: (term) => mistyped.has(term) && mistakes(term) }) })
  }
}

/** Words of which questions are built, and which say little of what is asked for. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  'a an and any are be been by can could did do doe does for from had has have how i if in is it its me my of on or our should so tell that the their them then there these they this to was we were what when where which who why will with would you your'.split(
    ' ',
  ),
)

/** What is looked for, each word once. */
export function queryTerms(query: string): string[] {
  return [...new Set(termsOf(query.slice(0, LONGEST_QUERY), TERMS_OF_QUERY))]
}

/** How many letters may be wrong in a term. */
export function mistakes(term: string): number {
  if (term.length < 4) return 0
  // Two letters that changed places are two mistakes.
  return term.length < 6 ? 1 : 2
}
