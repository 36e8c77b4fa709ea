import { giveLists, matchParameters } from './parameter-match.ts'
import { prepared } from './prepared-uri.ts'
import { captureEnd, captureStart, matchReserved, matchSegment } from './segment-match.ts'
import type { Fragment, Query, Reserved, Segment } from './compiled-template.ts'

const AND = 0x26

/** The end of the piece that begins at `start`. */
function pieceEnd(start: number): number {
  const { text, queryEnd } = prepared
  let at = start
  while (at < queryEnd && text.charCodeAt(at) !== AND) at++
  return at
}

/** Pieces between `&` in order; `{+v}` in the last takes the rest. */
function matchPieces(pieces: readonly Segment[], rest: Reserved | undefined): boolean {
  const { text, queryStart, queryEnd } = prepared
  let at = queryStart
  for (let i = 0; i < pieces.length; i++) {
    if (at > queryEnd) return false
    const end = pieceEnd(at)
    if (!matchSegment(pieces[i] as Segment, at, end)) return false
    at = end + 1
  }
  if (rest === undefined) return at > queryEnd
  if (at > queryEnd) return false
  let last = queryEnd
  while (last > at && text.charCodeAt(last - 1) !== AND) last--
  return matchReserved(rest, at, queryEnd, pieceEnd(at), last)
}

/** The query of the URI against that of the template; optional parameters become values at once. */
export function matchQuery(query: Query, ignoreUnknown: boolean): boolean {
  const { queryStart, queryEnd } = prepared
  switch (query.kind) {
    case 'none':
      return queryStart < 0 || ignoreUnknown
    case 'set':
      if (queryStart < 0) return !query.written
      return matchParameters(query.set, queryStart, queryEnd, AND, ignoreUnknown)
    case 'positional':
      return queryStart >= 0 && matchPieces(query.pieces, query.rest)
  }
}

/** The lists of a query that matches. */
export function giveQueryLists(query: Query): boolean {
  const { queryStart, queryEnd } = prepared
  return query.kind !== 'set' || queryStart < 0 || giveLists(query.set, queryStart, queryEnd, AND)
}

/** The fragment of the URI, everything behind the first `#`, against that of the template. */
export function matchFragment(fragment: Fragment): boolean {
  const { fragmentStart, text } = prepared
  switch (fragment.kind) {
    case 'none':
      return fragmentStart < 0
    case 'written':
      return fragmentStart >= 0 && matchSegment(fragment.text, fragmentStart, text.length)
    case 'optional':
      captureStart[fragment.capture] = fragmentStart
      captureEnd[fragment.capture] = text.length
      return true
  }
}
