import type { Contents, Piece, PiecesOutcome, Reading } from '../library/index.ts'
import type { Revision, RevisionFacts } from '../protocol/index.ts'
import { REVISIONS } from '../protocol/index.ts'

/** A Reading as members of a result: text as JSON, bytes as pieces that the transport encodes while it sends. */
export function contentsOutcome(reading: Reading, revision: Revision): PiecesOutcome {
  const facts: RevisionFacts = REVISIONS[revision]
  const pieces: Piece[] = []
  let text = '"contents":['
  reading.contents.forEach((contents, index) => {
    if (index > 0) text += ','
    if ('text' in contents) {
      text += JSON.stringify({ ...head(contents, facts), text: contents.text.toWellFormed() })
      return
    }
    text += `${JSON.stringify(head(contents, facts)).slice(0, -1)},"blob":"`
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

function head(contents: Contents, facts: RevisionFacts): object {
  return {
    uri: contents.uri,
    ...(contents.mimeType !== undefined && { mimeType: contents.mimeType }),
    ...(contents._meta !== undefined && facts.itemMeta && { _meta: contents._meta }),
  }
}
