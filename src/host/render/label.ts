import { cut, oneLine, wholeUri } from '../text/index.ts'

const LONGEST = 200
/** A server of longer ones would fill the prompt with them; sources have them whole. */
const LONGEST_URI = 2_000

/** A name of a server's choice as one line that is what it looks like. */
export function labelOf(text: string): string {
  return oneLine(text, LONGEST)
}

/** A URI as one line, from which it can be read. */
export function uriLabelOf(uri: string): string {
  return cut(wholeUri(uri), LONGEST_URI)
}
