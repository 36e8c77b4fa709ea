/** What cannot be seen, or turns around what can: controls, format characters, separators of lines, tags. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]+/gu
/** Marks that make text say something else than is seen. */
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u{e0000}-\u{e007f}]/gu
const LONGEST = 200

/** A name of a server's choice as one line that is what it looks like. */
export function labelOf(text: string): string {
  const line = text
    .toWellFormed()
    .slice(0, 4 * LONGEST)
    .toWellFormed()
    .replace(UNSEEN, ' ')
    .trim()
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`
}

/** How many characters of a text are there and not seen, which may be instructions to a model alone. */
export function hiddenIn(text: string): number {
  return text.match(HIDDEN)?.length ?? 0
}
