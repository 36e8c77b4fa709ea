/** Blanks, and what is not seen: what ends lines or turns their direction, and what a model reads where a person sees nothing. */
const UNPRINTED = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]+/gu

/** What a server says of itself as one line of at most so many UTF-16 units, which no name can break out of. */
export function oneLine(text: string, most: number): string {
  // What is far beyond the limit need not be looked at.
  const line = text
    .slice(0, 4 * most)
    .replace(UNPRINTED, ' ')
    .trim()
  return (line.length <= most ? line : `${line.slice(0, most - 1)}…`).toWellFormed()
}

/** As above without blanks, which some servers have in URIs. */
const BREAKING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu

/** A URI, or the template of one, whole and as one line: what no URI may have is percent-encoded where it would end the line. */
export function wholeUri(uri: string): string {
  return uri.replace(BREAKING, encodeURIComponent)
}
