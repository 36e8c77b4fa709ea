const ID = '(-?\\d{1,15}|"(?:[^"\\\\]|\\\\.){0,200}")'
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"'

/** `{"jsonrpc":"2.0","id":1,"result":...`, the order of most servers. */
const IN_HEAD = new RegExp(
  `^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?"id"\\s*:\\s*${ID}\\s*,\\s*(?:${VERSION}\\s*,\\s*)?"(?:result|error)"\\s*:`,
)
/** `{"result":...,"jsonrpc":"2.0","id":1}`, that of the official ones; one brace at the end is that of the message. */
const RESULT_FIRST = /^\s*\{\s*"(?:result|error)"\s*:/
const IN_TAIL = new RegExp(`,\\s*"id"\\s*:\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`)

/**
 * The id of a request whose answer was too long to keep, out of its two ends. Undefined for what is no answer, or has its
 * members in another order: its request then waits for its time to be over.
 *
 * @param tail undefined as long as the line has not ended
 */
export function idOfDropped(head: string, tail: string | undefined): string | number | undefined {
  const found = IN_HEAD.exec(head) ?? (tail !== undefined && RESULT_FIRST.test(head) ? IN_TAIL.exec(tail) : null)
  if (found === null) return undefined
  try {
    return JSON.parse(found[1]!) as string | number
  } catch {
    return undefined
  }
}
