import { ShelfError } from '../../errors.ts'
import { isInternal } from '../../protocol/index.ts'
import { oneLine, wholeUri } from '../text/index.ts'
import type { ToolCall, ToolResult } from './tool.ts'
import { failed } from './tool.ts'

/** How much of a URI is said back, in UTF-16 units. */
const LONGEST_URI = 300

/**
 * Why a URI was not read, and what a model may try next. What is nobody's business but the server's is reported, and not
 * told. Throws what is no failure of the read: that it was cancelled.
 *
 * @param similar URIs that might have been meant
 */
export function explainRead(error: unknown, uri: string, asked: ToolCall, similar: readonly string[] = []): ToolResult {
  const own = ShelfError.from(error)
  if (own.code === 'cancelled') throw own
  return failed(`${reasonOf(own, oneLine(uri, LONGEST_URI), asked)}${similarOf(similar)}`)
}

function reasonOf(error: ShelfError, uri: string, asked: ToolCall): string {
  if (ShelfError.is(error, 'not-found') || ShelfError.is(error, 'invalid-uri')) return absent(uri)
  if (ShelfError.is(error, 'ambiguous')) {
    return `More than one server has ${uri}. Use one of: ${error.details.owners.slice(0, 5).join(' ')}`
  }
  if (ShelfError.is(error, 'too-large')) {
    const { size, limit } = error.details
    return `${uri} has ${size} bytes, can only be read whole, and more than ${limit} bytes are not read. Look for a smaller resource with find_resources.`
  }
  if (ShelfError.is(error, 'busy')) {
    const { retryAfterMs } = error.details
    const when = retryAfterMs === undefined ? 'in a moment' : `in ${Math.ceil(retryAfterMs / 1_000)} seconds`
    return `Too much was asked for at once. Try again ${when}.`
  }
  if (ShelfError.is(error, 'timeout')) return `${uri} did not answer in time. Try it once more, or read something else.`
  if (ShelfError.is(error, 'refused')) return `${uri} was refused: ${oneLine(error.message, 500)}`
  if (ShelfError.is(error, 'invalid-values')) return `${oneLine(error.message, 500)}. Give other values.`
  // Why a source failed is for the log: the message of the error may name what the caller must not learn.
  if (isInternal(error) || ShelfError.is(error, 'server-error') || ShelfError.is(error, 'invalid-answer')) asked.report(error)
  return `${uri} cannot be read now: its source failed. Try it once more later, or read something else; other arguments will not help.`
}

function absent(uri: string): string {
  if (uri.includes('{')) {
    return `${uri} is a URI template, not a URI. Put values in place of the braces, percent-encoded, and read the URI that you get.`
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    return `There is no resource "${uri}": a URI begins with a scheme, such as file:///. Take a URI as find_resources or list_resources gives it.`
  }
  return `There is no resource ${uri} here. Call find_resources with words of what you look for, or list_resources, and take a URI exactly as it is given there.`
}

function similarOf(uris: readonly string[]): string {
  const some = uris.filter((uri) => uri.length <= LONGEST_URI).slice(0, 3)
  return some.length === 0 ? '' : `\nPerhaps one of these was meant:\n${some.map(wholeUri).join('\n')}`
}
