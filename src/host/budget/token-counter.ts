import { ShelfError } from '../../errors.ts'
import { endOfPrefix } from './end-of-prefix.ts'

/** `estimate` needs no tables, and counts a little more than encodings of today do. */
export type TokenEncoding = 'o200k_base' | 'cl100k_base' | 'estimate'

/** Counts what a model counts. */
export interface TokenCounter {
  readonly encoding: TokenEncoding
  /**
   * The tokens of a text. Markers that a model takes for its own (`<|endoftext|>`) are counted as the text that they are.
   *
   * @param most stop beyond so many: what is returned is then more than that, and not all
   */
  count(text: string, most?: number): number
  /** The longest beginning of a text that has no more tokens than that, and no half of a character. */
  atMost(text: string, tokens: number): string
}

/** So much is counted at once. */
const SEGMENT = 4_096

/** A text without blanks is counted in pieces of this length: merging takes the square of it, and minutes for 200,000. */
const LONGEST_RUN = 128

/** The part of gpt-tokenizer that is used. */
interface Encoder {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number
}

const NONE = new Set<string>()

/**
 * A counter for an encoding, whose table is loaded with it (2 MB, about half a second).
 *
 * @throws ShelfError `invalid-option` for an encoding that is none of those
 */
export async function openTokenCounter(encoding: TokenEncoding = 'o200k_base'): Promise<TokenCounter> {
  const count = await counterOf(encoding)
  return {
    encoding,
    count: (text, most = Number.POSITIVE_INFINITY) => {
      let tokens = 0
      for (const segment of segmentsOf(text)) {
        tokens += count(segment)
        if (tokens > most) break
      }
      return tokens
    },
    atMost: (text, tokens) => {
      let left = tokens
      let end = 0
      for (const segment of segmentsOf(text)) {
        const size = count(segment)
        if (size > left) return text.slice(0, end + longestWithin(segment, left, count))
        left -= size
        end += segment.length
      }
      return text
    },
  }
}

async function counterOf(encoding: TokenEncoding): Promise<(text: string) => number> {
  if (encoding === 'estimate') return estimate
  const encoder = await encoderOf(encoding)
  return (text) => encoder.countTokens(text, { disallowedSpecial: NONE })
}

async function encoderOf(encoding: Exclude<TokenEncoding, 'estimate'>): Promise<Encoder> {
  switch (encoding) {
    case 'o200k_base':
      return import('gpt-tokenizer/encoding/o200k_base')
    case 'cl100k_base':
      return import('gpt-tokenizer/encoding/cl100k_base')
    default:
      throw new ShelfError('invalid-option', `Wanted o200k_base, cl100k_base or estimate, got ${JSON.stringify(encoding)}`, {
        option: 'encoding',
      })
  }
}

/** Three and a half characters of ASCII to a token, and one of all others. */
function estimate(text: string): number {
  let ascii = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x80) ascii++
  return Math.ceil(ascii / 3.5 + (text.length - ascii))
}

/** Pieces of a text that are counted one by one: whole characters, cut where tokens end anyway, if there is such a place. */
function* segmentsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + SEGMENT >= text.length ? text.length : endOfSegment(text, start)
    yield* runsOf(text.slice(start, end))
    start = end
  }
}

/** Before a blank, which belongs to what follows it. */
function endOfSegment(text: string, start: number): number {
  const most = start + SEGMENT
  for (let end = most; end > most - LONGEST_RUN; end--) if (text[end] === ' ' || text[end] === '\n') return end
  return endOfPrefix(text, most)
}

function* runsOf(segment: string): Generator<string> {
  let start = 0
  for (const { index, 0: run } of segment.matchAll(LONG_RUNS)) {
    for (let end = index + LONGEST_RUN; end < index + run.length; end += LONGEST_RUN) {
      const cut = endOfPrefix(segment, end)
      yield segment.slice(start, cut)
      start = cut
    }
  }
  if (start < segment.length) yield segment.slice(start)
}

const LONG_RUNS = new RegExp(`\\S{${LONGEST_RUN + 1},}|\\s{${LONGEST_RUN + 1},}`, 'g')

/** How many units of a segment have so many tokens at most. */
function longestWithin(segment: string, tokens: number, count: (text: string) => number): number {
  let [low, high] = [0, segment.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (count(segment.slice(0, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  const end = endOfPrefix(segment, low)
  // More of a text may be fewer tokens, so the search may end where it is one too many.
  return count(segment.slice(0, end)) <= tokens ? end : 0
}
