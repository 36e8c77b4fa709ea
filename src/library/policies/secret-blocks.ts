import { CharacterSet } from './character-set.ts'
import type { SecretScan } from './secret-span.ts'

/** Labels of RFC 7468, OpenPGP (RFC 9580, section 6.2) and SSH (RFC 4716, of four hyphens). */
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY ----/g
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END [A-Z0-9 ]{0,40}PRIVATE KEY ----/g

/** What the lines of a key may hold, also where they are part of a text of JSON, of source code or of a quotation. */
const LINES = new CharacterSet('A-Za-z0-9+/=:,\\"\'>#* \t\r\n-')

/** Private keys in PEM, from the first line to the last; of one that is cut off all that looks like it. */
export const scanPrivateKeys: SecretScan = (text, found) => {
  let endOf: { readonly start: number; readonly end: number } | undefined = { start: -1, end: -1 }
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const from = BEGIN.lastIndex
    if (endOf !== undefined && endOf.start < from) endOf = endAfter(text, from)
    const end = endOf?.end ?? LINES.endOfRun(text, from)
    found(match.index, end)
    BEGIN.lastIndex = end
  }
}

function endAfter(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  END.lastIndex = from
  const match = END.exec(text)
  return match === null ? undefined : { start: match.index, end: END.lastIndex }
}
