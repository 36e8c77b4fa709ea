import { giveLists, matchParameters } from './parameter-match.ts'
import { isDecodable } from './percent.ts'
import { prepared } from './prepared-uri.ts'
import { captureEnd, captureStart } from './segment-match.ts'
import { decodePiece, givePiece, giveValue } from './value-store.ts'
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

/** Whether `start..end` has a piece for each place, exactly so many without a list. */
function hasPieces(uses: readonly Use[], start: number, end: number): boolean {
  const { text } = prepared
  const wanted = uses.length - 1
  const list = uses[wanted]?.list === true
  let count = 0
  for (let at = start; at < end && count <= wanted; at++) if (text.charCodeAt(at) === 0x2c) count++
  return list ? count >= wanted : count === wanted
}

/** The content of one capture; of a list only whether it fits, so that nothing is collected in vain. */
function checkCapture(capture: Capture, start: number, end: number): boolean {
  if (capture.kind === 'matrix') return matchParameters(capture.set, start, end, 0x3b, false)
  if (capture.kind === 'commas' && !hasPieces(capture.uses, start, end)) return false
  if (!prepared.hasTriplets) return true
  if (capture.kind === 'commas' && !capture.encodedSlash && holdsEncodedSlash(start, end)) return false
  if (capture.kind !== 'segments') return isDecodable(prepared.text, start, end)
  return start >= end || isDecodable(prepared.text, prepared.segmentStart(start), prepared.segmentEnd(end - 1))
}

function giveCapture(capture: Capture, start: number, end: number): boolean {
  switch (capture.kind) {
    case 'text':
      return true
    case 'commas':
      return givePieces(capture.uses, start, end, 0x2c)
    case 'dots':
      return giveList(capture.use, start, end, 0x2e)
    case 'segments':
      return giveSegments(capture.uses, start, end)
    case 'matrix':
      return giveLists(capture.set, start, end, 0x3b)
  }
}

/** Contents of all captures: false where one does not fit. Texts at once, lists when all else fits. */
export function giveCaptures(captures: readonly Capture[]): boolean {
  let more = false
  for (let i = 0; i < captures.length; i++) {
    const start = captureStart[i] as number
    if (start < 0) continue
    const end = captureEnd[i] as number
    const capture = captures[i] as Capture
    if (capture.kind === 'text') {
      if (!capture.encodedSlash && holdsEncodedSlash(start, end)) return false
      if (!givePiece(capture.use, start, end)) return false
    } else {
      if (!checkCapture(capture, start, end)) return false
      more = true
    }
  }
  if (!more) return true
  for (let i = 0; i < captures.length; i++) {
    const start = captureStart[i] as number
    if (start >= 0 && !giveCapture(captures[i] as Capture, start, captureEnd[i] as number)) return false
  }
  return true
}
