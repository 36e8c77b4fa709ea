import type { Cut, Reserved, Segment } from './compiled-template.ts'

/** Where the captures of the template at hand lie; -1 is absent. At most 32 variables, so at most 32 captures. */
export const captureStart: Int32Array = new Int32Array(64)
export const captureEnd: Int32Array = new Int32Array(64)

/** The text that literals are compared with: the normal form, its authority in lower case where case does not count. */
export let subject = ''

export function matchAgainst(text: string): void {
  subject = text
}

/**
 * Places the captures of one cut in `start..end`: the closing literal ends it, each inner literal is sought backwards
 * from the capture closed last, the opening literal begins it. A capture takes any character, so the rightmost place
 * leaves the most room: where it fails, every place fails. Costs the length times the longest literal.
 */
function place(cut: Cut, start: number, end: number): boolean {
  const { literals, captures, minimums } = cut
  const count = captures.length
  const opening = literals[0] as string
  if (count === 0) return opening.length === end - start && subject.startsWith(opening, start)
  const closing = literals[count] as string
  const left = start + opening.length
  let right = end - closing.length
  if (right < left) return false
  if (!subject.startsWith(closing, right) || !subject.startsWith(opening, start)) return false
  for (let i = count - 1; i > 0; i--) {
    const literal = literals[i] as string
    let at = right - (minimums[i] as number) - literal.length
    while (at >= left && !subject.startsWith(literal, at)) at--
    if (at < left) return false
    const capture = captures[i] as number
    captureStart[capture] = at + literal.length
    captureEnd[capture] = right
    right = at
  }
  if (right - left < (minimums[0] as number)) return false
  const capture = captures[0] as number
  captureStart[capture] = left
  captureEnd[capture] = right
  return true
}

/** The first cut that fits stands: most labels first. */
function placeFirst(cuts: readonly Cut[], labels: readonly number[], start: number, end: number): boolean {
  for (const cut of cuts) {
    for (const label of labels) captureStart[label] = -1
    if (place(cut, start, end)) return true
  }
  return false
}

/** The end of what stands before the first `;`, which is where matrix parameters begin. */
export function cutMatrix(capture: number, start: number, end: number): number {
  if (capture < 0) return end
  let at = start
  while (at < end && subject.charCodeAt(at) !== 0x3b) at++
  captureStart[capture] = at < end ? at + 1 : -1
  captureEnd[capture] = end
  return at
}

/** One segment of a template against `start..end` of the URI. */
export function matchSegment(segment: Segment, start: number, end: number): boolean {
  if (typeof segment === 'string') return segment.length === end - start && subject.startsWith(segment, start)
  return placeFirst(segment.cuts, segment.labels, start, cutMatrix(segment.matrix, start, end))
}

/**
 * `{+v}` over `start..end`. `firstEnd` ends the first segment of the span, `lastStart` begins the last:
 * what stands before the variable lies in the first, what stands behind it in the last.
 */
export function matchReserved(part: Reserved, start: number, end: number, firstEnd: number, lastStart: number): boolean {
  const base = cutMatrix(part.matrix, lastStart, end)
  if (lastStart === start) return placeFirst(part.whole, part.labels, start, base)
  return matchReservedBefore(part, start, firstEnd) && matchReservedAfter(part, lastStart, base)
}

const NONE: readonly number[] = []

/** The first of several segments: what stands before the variable. */
export function matchReservedBefore(part: Reserved, start: number, firstEnd: number): boolean {
  captureStart[part.capture] = start
  return part.before === undefined || placeFirst(part.before, part.labelsBefore ? part.labels : NONE, start, firstEnd)
}

/** The last of several segments, up to its matrix parameters: what stands behind the variable. */
export function matchReservedAfter(part: Reserved, lastStart: number, base: number): boolean {
  const from = captureStart[part.capture] as number
  if (part.after === undefined) captureEnd[part.capture] = base
  else if (!placeFirst(part.after, part.labelsBefore ? NONE : part.labels, lastStart, base)) return false
  captureStart[part.capture] = from
  return true
}
