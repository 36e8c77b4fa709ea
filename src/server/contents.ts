import type { Contents, Piece, PiecesOutcome, Reading } from '../library/index.ts'
import { refuseLargerContents } from '../library/index.ts'
import type { Revision, RevisionFacts } from '../protocol/index.ts'
import { REVISIONS } from '../protocol/index.ts'

/**
 * A Reading as members of a result: text as JSON, bytes as pieces that the transport encodes while it sends.
 *
 * @throws ShelfError `too-large` for more than `maxRead` bytes, whatever the provider made of its limit; `internal` for
 *   contents without a size
 */
export function contentsOutcome(reading: Reading, revision: Revision, maxRead: number): PiecesOutcome {
  const facts: RevisionFacts = REVISIONS[revision]
  const pieces: Piece[] = []
  let text = '"contents":['
  refuseLargerContents(reading.contents, maxRead)
  reading.contents.forEach((contents, index) => {
    if (index > 0) text += ','
    if ('text' in contents) {
      text += `${head(contents, facts)},"text":${JSON.stringify(contents.text.toWellFormed())}}`
      return
    }
    text += `${head(contents, facts)},"blob":"`
    pieces.push(text, { bytes: contents.bytes })
    text = '"}'
  })
  pieces.push(`${text}]`)
  const dispose = reading[Symbol.asyncDispose]
  return {
    kind: 'pieces',
    members: pieces,
    ...(reading.hint && { hint: reading.hint }),
    ...(dispose && { dispose: () => dispose.call(reading) }),
  }
}

/** The members before the body, with an open brace: put together as text, since an object made to be encoded costs twice. */
function head({ uri, mimeType, _meta }: Contents, facts: RevisionFacts): string {
  let text = `{"uri":${JSON.stringify(uri)}`
  if (mimeType !== undefined) text += `,"mimeType":${JSON.stringify(mimeType)}`
  if (_meta !== undefined && facts.itemMeta) text += `,"_meta":${JSON.stringify(_meta)}`
  return text
}
