import type { Part } from './parts.ts'

const MOST_TERMS = 32
/** Putting marks of one character in order takes the square of how many there are. */
const MARKS = /(\p{M}{16})\p{M}+/gu

/** Words and numbers of a text, without case and accents; of scripts without blanks each character. */
function termsOf(text: string): readonly string[] {
  return (
    text
      .replace(MARKS, '$1')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}]{1,64}/gu) ?? []
  )
}

/**
 * How well each part answers a question, 0 for not at all: how many of its words are there, rare ones for more (BM25), those
 * of the title twice.
 */
export function rankParts(parts: readonly Part[], question: string): readonly number[] {
  const wanted = [...new Set(termsOf(question))].slice(0, MOST_TERMS)
  const counts = parts.map(({ text, title = '' }) => {
    const found = new Map<string, number>(wanted.map((term) => [term, 0]))
    let length = 0
    for (const [terms, weight] of [
      [termsOf(text), 1],
      [termsOf(title), 2],
    ] as const) {
      length += terms.length
      for (const term of terms) {
        const count = found.get(term)
        if (count !== undefined) found.set(term, count + weight)
      }
    }
    return { found, length }
  })
  const mean = counts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counts.length) || 1
  const rarities = wanted.map((term) => {
    const having = counts.reduce((sum, { found }) => sum + (found.get(term)! > 0 ? 1 : 0), 0)
    return Math.log(1 + (parts.length - having + 0.5) / (having + 0.5))
  })
  return counts.map(({ found, length }) =>
    wanted.reduce((score, term, index) => {
      const count = found.get(term)!
      return score + (rarities[index]! * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean))
    }, 0),
  )
}
