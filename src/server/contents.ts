import { ShelfError } from '../errors.ts'
import type { Contents, Piece, PiecesOutcome, Reading } from '../library/index.ts'
import { utf8Length } from '../library/index.ts'
import type { Revision, RevisionFacts } from '../protocol/index.ts'
import { REVISIONS } from '../protocol/index.ts'

/**
 * A Reading as members of a result: text as JSON, bytes as pieces that the transport encodes while it sends.
 *
 * @throws ShelfError `too-large` for more than `maxRead` bytes, whatever the provider made of its limit
 */
export function contentsOutcome(reading: Reading, revision: Revision, maxRead: number): PiecesOutcome {
  const facts: RevisionFacts = REVISIONS[revision]
  const pieces: Piece[] = []
  let text = '"contents":['
  refuseLarger(reading, maxRead)
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

function refuseLarger(reading: Reading, limit: number): void {
  // A UTF-16 unit is at most three bytes of UTF-8: what is certainly small enough is not counted.
  if (bytesIn(reading, (text) => text.length * 3) <= limit) return
  const size = bytesIn(reading, utf8Length)
  if (size <= limit) return
  throw new ShelfError('too-large', `The resource has ${size} bytes; the limit is ${limit}`, { size, limit })
}

/** Raw bytes of all contents. */
function bytesIn(reading: Reading, lengthOf: (text: string) => number): number {
  let bytes = 0
  for (const contents of reading.contents) {
    const size =
      'text' in contents
        ? lengthOf(contents.text)
        : 'byteLength' in contents.bytes
          ? contents.bytes.byteLength
          : contents.bytes.size
    if (!(Number.isSafeInteger(size) && size >= 0)) {
      throw new ShelfError('internal', `${contents.uri} came with ${size} as its number of bytes`, {})
    }
    bytes += size
  }
  return bytes
}

/** The members before the body, with an open brace: put together as text, since an object made to be encoded costs twice. */
function head({ uri, mimeType, _meta }: Contents, facts: RevisionFacts): string {
  let text = `{"uri":${JSON.stringify(uri)}`
  if (mimeType !== undefined) text += `,"mimeType":${JSON.stringify(mimeType)}`
  if (_meta !== undefined && facts.itemMeta) text += `,"_meta":${JSON.stringify(_meta)}`
  return text
}
