/** Control characters, and others that end lines or turn their direction. */
// oxlint-disable-next-line no-control-regex
const UNPRINTED = /[\u0000-\u0020\u007f-\u00a0\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g

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
// oxlint-disable-next-line no-control-regex
const BREAKING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** A URI, or the template of one, whole and as one line: what no URI may have is percent-encoded where it would end the line. */
export function wholeUri(uri: string): string {
  return uri.replace(BREAKING, encodeURIComponent)
}
