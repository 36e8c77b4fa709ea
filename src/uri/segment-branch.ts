import { compareSegments } from './template-order.ts'
import { matchSegment, subject } from './segment-match.ts'
import { TextsByLength } from './texts-by-length.ts'
import type { Pattern, Segment } from './compiled-template.ts'

interface Edge<N> {
  readonly pattern: Pattern
  readonly child: N
}

/**
 * The children of a trie node by the next segment: literal text, then patterns by opening and closing literal, then a
 * variable alone. Patterns cost one lookup per distinct length, however many there are.
 */
export class SegmentBranch<N> {
  /** One literal child needs no map. */
  #text: string | undefined
  #child: N | undefined
  #literals: Map<string, N> | undefined
  #patterns: TextsByLength<TextsByLength<Edge<N>[]>> | undefined
  #bare: N | undefined

  get isLeaf(): boolean {
    return this.#text === undefined && this.#literals === undefined && this.#patterns === undefined && this.#bare === undefined
  }

  find(segment: Segment): N | undefined {
    if (typeof segment === 'string') return segment === this.#text ? this.#child : this.#literals?.get(segment)
    if (segment.kind === 'bare') return this.#bare
    const edges = this.#patterns?.get(segment.opening)?.get(segment.closing)
    return edges?.find((edge) => edge.pattern.shape === segment.shape)?.child
  }

  add(segment: Segment, child: N): void {
    if (typeof segment === 'string') this.#addLiteral(segment, child)
    else if (segment.kind === 'bare') this.#bare = child
    else this.#addPattern(segment, child)
  }

  remove(segment: Segment): void {
    if (typeof segment !== 'string') {
      if (segment.kind === 'bare') this.#bare = undefined
      else this.#removePattern(segment)
    } else if (segment === this.#text) {
      this.#text = undefined
      this.#child = undefined
    } else {
      this.#literals?.delete(segment)
      if (this.#literals?.size === 0) this.#literals = undefined
    }
  }

  /** The first answer of a child that fits `start..end` of the URI, in the order of the table. */
  visit<R>(start: number, end: number, answer: (child: N) => R | undefined): R | undefined {
    const literal = this.#literalChild(start, end)
    if (literal !== undefined) {
      const found = answer(literal)
      if (found !== undefined) return found
    }
    if (this.#patterns !== undefined) {
      const found = this.#visitPatterns(this.#patterns, start, end, answer)
      if (found !== undefined) return found
    }
    return this.#bare !== undefined && end > start ? answer(this.#bare) : undefined
  }

  #literalChild(start: number, end: number): N | undefined {
    if (this.#text !== undefined) {
      if (this.#text.length === end - start && subject.startsWith(this.#text, start)) return this.#child
    }
    return this.#literals?.get(subject.slice(start, end))
  }

  #visitPatterns<R>(
    openings: TextsByLength<TextsByLength<Edge<N>[]>>,
    start: number,
    end: number,
    answer: (child: N) => R | undefined,
  ): R | undefined {
    // What closes a pattern with matrix parameters stands before the first `;`.
    let base = start
    while (base < end && subject.charCodeAt(base) !== 0x3b) base++
    for (const opening of openings.lengths) {
      if (opening > end - start) continue
      const closings = openings.get(subject.slice(start, start + opening))
      if (closings === undefined) continue
      for (const closing of closings.lengths) {
        if (opening + closing > end - start) continue
        for (const { pattern, child } of eligible(closings, closing, base, end)) {
          if (!matchSegment(pattern, start, end)) continue
          const found = answer(child)
          if (found !== undefined) return found
        }
      }
    }
    return undefined
  }

  #addLiteral(text: string, child: N): void {
    if (this.#literals === undefined && this.#text === undefined) {
      this.#text = text
      this.#child = child
      return
    }
    this.#literals ??= new Map()
    this.#literals.set(text, child)
  }

  #addPattern(pattern: Pattern, child: N): void {
    this.#patterns ??= new TextsByLength()
    let closings = this.#patterns.get(pattern.opening)
    if (closings === undefined) {
      closings = new TextsByLength()
      this.#patterns.set(pattern.opening, closings)
    }
    const edges = closings.get(pattern.closing)
    if (edges === undefined) closings.set(pattern.closing, [{ pattern, child }])
    else insert(edges, { pattern, child })
  }

  #removePattern(pattern: Pattern): void {
    const closings = this.#patterns?.get(pattern.opening)
    const edges = closings?.get(pattern.closing)
    if (closings === undefined || edges === undefined) return
    const at = edges.findIndex((edge) => edge.pattern.shape === pattern.shape)
    if (at >= 0) edges.splice(at, 1)
    if (edges.length === 0) closings.delete(pattern.closing)
    if (closings.size === 0) this.#patterns?.delete(pattern.opening)
    if (this.#patterns?.size === 0) this.#patterns = undefined
  }
}

function insert<N>(edges: Edge<N>[], edge: Edge<N>): void {
  let low = 0
  let high = edges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareSegments((edges[middle] as Edge<N>).pattern, edge.pattern) < 0) low = middle + 1
    else high = middle
  }
  edges.splice(low, 0, edge)
}

/** Edges whose closing literal of this length ends the segment, or what stands before its matrix parameters. */
function eligible<N>(closings: TextsByLength<Edge<N>[]>, length: number, base: number, end: number): readonly Edge<N>[] {
  const whole = closings.get(subject.slice(end - length, end)) ?? []
  if (length === 0 || base === end || base < length) return whole
  const before = closings.get(subject.slice(base - length, base))
  if (before === undefined || before === whole) return whole
  return [...whole, ...before].toSorted((a, b) => compareSegments(a.pattern, b.pattern))
}
