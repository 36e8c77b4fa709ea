import { matchParameters } from './parameter-match.ts'
import { prepared } from './prepared-uri.ts'
import { captureEnd, captureStart } from './segment-match.ts'
import { decodePiece, givePiece, giveValue, prefixesAgree } from './value-store.ts'
import type { Capture, Use } from './compiled-template.ts'

/** Cuts `start..end` at each separator: one piece a variable, the rest for a list. */
function givePieces(uses: readonly Use[], start: number, end: number, separator: number): boolean {
  const { text } = prepared
  const last = uses.length - 1
  let from = start
  for (let i = 0; ; i++) {
    const use = uses[i] as Use
    if (i === last && use.list) return giveList(use, from, end, separator)
    let at = from
    while (at < end && text.charCodeAt(at) !== separator) at++
    if (i === last ? at < end : at === end) return false
    if (!givePiece(use, from, at)) return false
    if (i === last) return true
    from = at + 1
  }
}

function giveList(use: Use, start: number, end: number, separator: number): boolean {
  const { text } = prepared
  const items: string[] = []
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && text.charCodeAt(at) !== separator) continue
    const item = decodePiece(from, at)
    if (item === undefined) return false
    items.push(item)
    from = at + 1
  }
  return giveValue(use, items)
}

/** The segments `first..end` for `{/a,v*}`: filled from the left, the rest for the list. */
function giveSegments(uses: readonly Use[], first: number, end: number): boolean {
  let at = first
  for (const use of uses) {
    if (at >= end) return true
    if (use.list) {
      const items: string[] = []
      for (; at < end; at++) {
        const item = decodePiece(prepared.segmentStart(at), prepared.segmentEnd(at))
        if (item === undefined) return false
        items.push(item)
      }
      return giveValue(use, items)
    }
    if (!givePiece(use, prepared.segmentStart(at), prepared.segmentEnd(at))) return false
    at++
  }
  return true
}

/** `%2F` in `{+v}` cannot be told from `/` once decoded. */
function holdsEncodedSlash(start: number, end: number): boolean {
  return prepared.hasTriplets && prepared.text.slice(start, end).includes('%2F')
}

function giveCapture(capture: Capture, index: number): boolean {
  const start = captureStart[index] as number
  if (start < 0) return true
  const end = captureEnd[index] as number
  switch (capture.kind) {
    case 'text':
      if (!capture.encodedSlash && holdsEncodedSlash(start, end)) return false
      return givePiece(capture.use, start, end)
    case 'commas':
      if (!capture.encodedSlash && holdsEncodedSlash(start, end)) return false
      return givePieces(capture.uses, start, end, 0x2c)
    case 'dots':
      return giveList(capture.use, start, end, 0x2e)
    case 'segments':
      return giveSegments(capture.uses, start, end)
    case 'matrix':
      return matchParameters(capture.set, start, end, 0x3b, false)
  }
}

/** Contents of all captures: false where one does not fit. */
export function giveCaptures(captures: readonly Capture[]): boolean {
  for (let i = 0; i < captures.length; i++) if (!giveCapture(captures[i] as Capture, i)) return false
  return prefixesAgree()
}
