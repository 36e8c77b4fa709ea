/** Longer text is no key that was mistyped. */
const LONGEST = 40

/** The word that was probably meant: at most a third of it is wrong. */
export function closest(text: string, words: readonly string[]): string | undefined {
  if (text.length > LONGEST) return undefined
  const [best] = words
    .map((word) => ({ word, changes: distance(text.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, changes }) => changes <= Math.max(1, Math.floor(word.length / 3)))
    .toSorted((a, b) => a.changes - b.changes)
  return best?.word
}

/** How many letters must be put in, left out, replaced, or swapped with the next one. */
function distance(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? (before[j - 2] ?? Infinity) + 1 : Infinity
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1))
    }
    ;[before, row] = [row, next]
  }
  return row[to.length]!
}
