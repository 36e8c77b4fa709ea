import { uriKey } from '../../uri/index.ts'
import { utf8Length } from '../byte-limits.ts'
import { LONGEST_URI } from '../longest-uri.ts'

/** The most bytes of a text that one line holds, in UTF-8. */
const MOST_BYTES = 2048

/** A text that fits into a line, and whether it is the beginning of a longer one. */
export interface Fitted {
  readonly text: string
  readonly cut: boolean
}

/** As much of a text as a line holds, never half a character of it. */
export function fitted(text: string): Fitted {
  if (text.length * 3 <= MOST_BYTES || (text.length <= MOST_BYTES && utf8Length(text) <= MOST_BYTES)) return { text, cut: false }
  let [bytes, end] = [0, 0]
  // What follows cannot matter: a unit is a byte at least.
  for (const char of text.slice(0, MOST_BYTES + 1)) {
    bytes += utf8Length(char)
    if (bytes > MOST_BYTES) break
    end += char.length
  }
  return { text: text.slice(0, end), cut: true }
}

/**
 * A URI as it is audited: its normal form, in which one resource has one name, or what was sent if it is no URI. Values of
 * its query, and who it says one is to its host, are data of the caller's and become `*`; `name=` stays.
 */
export function auditedUri(uri: string, queryValues: boolean): Fitted {
  // A text that is far too long is not looked through: what is kept of it is at its beginning.
  const text = uri.length > LONGEST_URI ? uri.slice(0, LONGEST_URI) : uriKey(uri)
  const plain = withoutUserinfo(queryValues ? text : withoutValues(text))
  return uri.length > LONGEST_URI ? { text: fitted(plain).text, cut: true } : fitted(plain)
}

function withoutValues(uri: string): string {
  const begin = uri.indexOf('?') + 1
  if (begin === 0) return uri
  const hash = uri.indexOf('#', begin)
  const end = hash < 0 ? uri.length : hash
  const query = uri.slice(begin, end).replace(/(^|&)([^=&]*=)?[^&]*/g, '$1$2*')
  return uri.slice(0, begin) + query + uri.slice(end)
}

function withoutUserinfo(uri: string): string {
  return uri.includes('@') ? uri.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, '$1*@') : uri
}
