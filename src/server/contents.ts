import type { Contents, Piece, PiecesOutcome, Reading } from '../library/index.ts'
import { refuseLargerContents } from '../library/index.ts'
import type { Revision, RevisionFacts } from '../protocol/index.ts'
import { REVISIONS } from '../protocol/index.ts'

/** What a result says beside the contents, and how it says them. */
export interface Told extends Pick<PiecesOutcome, 'meta' | 'hint'> {
  /** Text is sent as bytes too, since it is part of something. */
  readonly part?: true
}

/** Members that are put in one by one: an object made by spreads costs a microsecond for each. */
type Growing<T> = { -readonly [K in keyof T]: T[K] }

/**
 * A Reading as members of a result: text as JSON, bytes as pieces that the transport encodes while it sends.
 *
 * @param told its hint goes before that of the Reading
 * @throws ShelfError `too-large` for more than `maxRead` bytes, whatever the provider made of its limit; `internal` for
 *   contents without a size
 */
export function contentsOutcome(reading: Reading, revision: Revision, maxRead: number, told: Told = {}): PiecesOutcome {
  const facts: RevisionFacts = REVISIONS[revision]
  const pieces: Piece[] = []
  let text = '"contents":['
  refuseLargerContents(reading.contents, maxRead)
  reading.contents.forEach((contents, index) => {
    if (index > 0) text += ','
    if ('text' in contents && told.part === undefined) {
      text += `${head(contents, facts)},"text":${JSON.stringify(contents.text.toWellFormed())}}`
      return
    }
    text += `${head(contents, facts)},"blob":"`
    pieces.push(text, { bytes: 'text' in contents ? new TextEncoder().encode(contents.text) : contents.bytes })
    text = '"}'
  })
  pieces.push(`${text}]`)
  const outcome: Growing<PiecesOutcome> = { kind: 'pieces', members: pieces }
  const hint = told.hint ?? reading.hint
  if (hint !== undefined) outcome.hint = hint
  if (told.meta !== undefined) outcome.meta = told.meta
  const dispose = reading[Symbol.asyncDispose]
  if (dispose !== undefined) outcome.dispose = () => dispose.call(reading)
  return outcome
}

/** The members before the body, with an open brace: put together as text, since an object made to be encoded costs twice. */
function head({ uri, mimeType, _meta }: Contents, facts: RevisionFacts): string {
  let text = `{"uri":${JSON.stringify(uri)}`
  if (mimeType !== undefined) text += `,"mimeType":${JSON.stringify(mimeType)}`
  if (_meta !== undefined && facts.itemMeta) text += `,"_meta":${JSON.stringify(_meta)}`
  return text
}
