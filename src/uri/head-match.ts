import { prepared } from './prepared-uri.ts'
import {
  captureEnd,
  captureStart,
  cutMatrix,
  matchReserved,
  matchReservedAfter,
  matchReservedBefore,
  matchSegment,
} from './segment-match.ts'
import type { Elastic, Head, Segment } from './compiled-template.ts'

/** Segments `first..first + row.length` of the URI against a row of the template. */
export function matchRow(row: readonly Segment[], first: number): boolean {
  for (let i = 0; i < row.length; i++) {
    const at = first + i
    if (!matchSegment(row[i] as Segment, prepared.segmentStart(at), prepared.segmentEnd(at))) return false
  }
  return true
}

/** The structure of the path part; the cut is recorded in the captures. */
export function matchHead(head: Head): boolean {
  const { left, elastics, right } = head
  const { count } = prepared
  if (elastics.length === 0) return count === left.length && matchRow(left, 0)
  const end = count - right.length
  if (end < left.length) return false
  if (!matchRow(left, 0) || !matchRow(right, end)) return false
  if (elastics.length === 1) return matchSpan(elastics[0] as Elastic, left.length, end)
  return matchSpans(head, left.length, end)
}

/** One elastic part over the segments `first..end`. */
function matchSpan(part: Elastic, first: number, end: number): boolean {
  if (part.kind === 'group') {
    captureStart[part.capture] = first
    captureEnd[part.capture] = end
    return end - first <= part.places
  }
  if (end <= first) return false
  return matchReserved(
    part,
    prepared.segmentStart(first),
    prepared.segmentEnd(end - 1),
    prepared.segmentEnd(first),
    prepared.segmentStart(end - 1),
  )
}

/** The fewest segments the first part takes, or -1: what stands before the variable is tested once. */
function fewestAtStart(part: Elastic, first: number, end: number): number {
  if (part.kind === 'group') return 0
  if (first >= end) return -1
  const from = prepared.segmentStart(first)
  const to = prepared.segmentEnd(first)
  if (matchReserved(part, from, to, to, from)) return 1
  return matchReservedBefore(part, from, to) ? 2 : -1
}

/** The fewest segments the last part takes, or -1: what stands behind the variable is tested once. */
function fewestAtEnd(part: Elastic, first: number, end: number): number {
  if (part.kind === 'group') return 0
  if (first >= end) return -1
  const from = prepared.segmentStart(end - 1)
  const to = prepared.segmentEnd(end - 1)
  if (matchReserved(part, from, to, to, from)) return 1
  return matchReservedAfter(part, from, cutMatrix(part.matrix, from, to)) ? 2 : -1
}

function mostOf(part: Elastic): number {
  return part.kind === 'group' ? part.places : Infinity
}

/** A mark for each block and each place where it and all that follows fit. */
let marks = new Uint8Array(256)

/**
 * Several elastic parts over the segments `first..end`. From the right, each block is marked where it fits and the
 * rest fits behind it; then each part, from the left, takes the furthest mark within its bounds.
 */
function matchSpans(head: Head, first: number, end: number): boolean {
  const { elastics, blocks } = head
  const width = end - first + 1
  const last = elastics.length - 1
  const fewest: number[] = elastics.map((part) => (part.kind === 'group' ? 0 : 1))
  const least = fewestAtStart(elastics[0] as Elastic, first, end)
  const lastLeast = fewestAtEnd(elastics[last] as Elastic, first, end)
  if (least < 0 || lastLeast < 0) return false
  fewest[0] = least
  fewest[last] = lastLeast
  if (marks.length < width * last) marks = new Uint8Array(width * last * 2)
  if (!markBlocks(head, first, end, fewest)) return false
  let at = first
  for (let k = 0; k < last; k++) {
    const block = blocks[k] as readonly Segment[]
    const floor = at + (fewest[k] as number)
    let next = Math.min(at + mostOf(elastics[k] as Elastic), end - block.length)
    while (next >= floor && marks[k * width + next - first] !== 1) next--
    if (next < floor) return false
    if (!matchSpan(elastics[k] as Elastic, at, next) || !matchRow(block, next)) return false
    at = next + block.length
  }
  return matchSpan(elastics[last] as Elastic, at, end)
}

function markBlocks({ elastics, blocks }: Head, first: number, end: number, fewest: readonly number[]): boolean {
  const width = end - first + 1
  const last = elastics.length - 1
  let any = false
  for (let k = last - 1; k >= 0; k--) {
    const block = blocks[k] as readonly Segment[]
    const after = k + 1
    const most = mostOf(elastics[after] as Elastic)
    const floor = fewest[after] as number
    const row = k * width
    const following = row + width
    marks.fill(0, row, row + width)
    any = false
    // The nearest place to the right where the next block, or the end, may stand.
    let nearest = after === last ? end : -1
    let unseen = end
    for (let at = end - block.length; at >= first; at--) {
      const from = at + block.length
      if (after < last) {
        for (; unseen >= from + floor; unseen--) if (marks[following + unseen - first] === 1) nearest = unseen
      }
      if (nearest < from + floor || nearest - from > most || !matchRow(block, at)) continue
      marks[row + at - first] = 1
      any = true
    }
    if (!any) return false
  }
  return any
}
