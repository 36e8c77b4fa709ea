import { UNSEEN } from './unseen.ts'

/** What a server says of itself as one line of at most so many UTF-16 units, which no name can break out of. */
export function oneLine(text: string, most: number): string {
  // What is far beyond the limit need not be looked at.
  const line = text
    .slice(0, 4 * most)
    .toWellFormed()
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return cut(line, most)
}

/** A text of at most so many UTF-16 units, with a mark at its end where it was longer. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

/** A URI, or the template of one, whole and as one line: what is not seen is percent-encoded. Some servers have blanks in them. */
export function wholeUri(uri: string): string {
  return uri.toWellFormed().replace(UNSEEN, encodeURIComponent)
}
