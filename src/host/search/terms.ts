/** What is written without blanks between words: pairs of neighbours stand for words there. */
const PACKED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー'
const RUN = /[\p{L}\p{N}\p{M}_]+/gu
const STRETCH = new RegExp(`[${PACKED}]+|[^${PACKED}]+`, 'gu')
const IS_PACKED = new RegExp(`^[${PACKED}]`, 'u')
/** `parseHTTPAnswer2_old`: `parse`, `HTTP`, `Answer`, `2`, `old`. */
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}|\p{N}+/gu
/** Normal forms put marks into order, which takes the square of how many there are in a row. */
const MARKS_BEYOND_16 = /(\p{M}{16})\p{M}+/gu
const LATIN_MARKS = /[\u0300-\u036f]/g

/** The same of ASCII, of which most texts are: engines are five times as fast without Unicode's tables. */
const ONLY_ASCII = /^[\0-\x7f]*$/
const ASCII_RUN = /\w+/g
const ASCII_PIECE = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g
const IS_ONE_PIECE = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/

/** Of a term, in UTF-16 units: what is longer names nothing that anybody types. */
export const LONGEST_TERM = 64
/** Of a word that is looked into for its pieces; beyond it follows the next word. */
const LONGEST_WORD = 256

/**
 * The terms of a text, in order, in lower case and without accents, at most so many. A name of code is there as a whole and
 * in pieces; scripts without blanks as pairs of neighbours. The time is linear in what is looked at.
 */
export function termsOf(text: string, most: number): string[] {
  const terms: string[] = []
  if (ONLY_ASCII.test(text)) {
    for (const run of runs(text, ASCII_RUN)) {
      if (terms.length >= most) break
      addWords(run, ASCII_PIECE, terms, most)
    }
    return terms
  }
  for (const run of runs(plain(text), RUN)) {
    for (const stretch of runs(run, STRETCH)) {
      if (terms.length >= most) return terms
      if (IS_PACKED.test(stretch)) addPairs(stretch, terms, most)
      else addWords(stretch, PIECE, terms, most)
    }
  }
  return terms
}

/** What a pattern finds, one after the other: nobody may want all of it. */
function* runs(text: string, pattern: RegExp): Generator<string> {
  for (let at = 0; ;) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return
    at = pattern.lastIndex
    yield found[0]
  }
}

/** Compatible forms as one, letters without the marks of Latin, Greek and Cyrillic; other scripts' marks are letters of theirs. */
function plain(text: string): string {
  return text.replace(MARKS_BEYOND_16, '$1').normalize('NFKD').replace(LATIN_MARKS, '').normalize('NFC')
}

function addWords(run: string, piece: RegExp, terms: string[], most: number): void {
  if (run.length <= LONGEST_WORD) return addWord(run, piece, terms, most)
  for (let at = 0; at < run.length && terms.length < most; at += LONGEST_WORD) {
    addWord(run.slice(at, at + LONGEST_WORD), piece, terms, most)
  }
}

function addWord(word: string, piece: RegExp, terms: string[], most: number): void {
  if (IS_ONE_PIECE.test(word)) {
    terms.push(term(word))
    return
  }
  const pieces = word.match(piece)
  if (pieces === null) return
  for (const one of pieces) {
    if (terms.length >= most) return
    terms.push(term(one))
  }
  if (pieces.length < 2 || terms.length >= most) return
  const whole = pieces.join('')
  if (whole.length <= LONGEST_TERM) terms.push(term(whole))
}

function addPairs(stretch: string, terms: string[], most: number): void {
  let before: string | undefined
  let count = 0
  for (const character of stretch) {
    if (terms.length >= most) return
    if (before !== undefined) terms.push(before + character)
    before = character
    count++
  }
  if (count === 1 && before !== undefined) terms.push(before)
}

/** The plural of most English nouns is the singular and an `s`; elsewhere both sides lose it alike. */
function term(piece: string): string {
  const lower = piece.toLowerCase().slice(0, LONGEST_TERM)
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower
}
