import { headShape, templateShape } from './template-shape.ts'
import type { CompiledTemplate, Elastic, Fragment, Head, Parameter, Pattern, Query, Segment } from './compiled-template.ts'

/** A registered template with what its place in the order needs beside its structure. */
export interface Ranked {
  readonly compiled: CompiledTemplate
  readonly ignoreUnknown: boolean
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const LITERAL = 1
const PATTERN = 2
const BARE = 3
const END = 4
const ELASTIC = 5

function rankOf(segment: Segment): number {
  if (typeof segment === 'string') return LITERAL
  return segment.kind === 'pattern' ? PATTERN : BARE
}

function comparePatterns(a: Pattern, b: Pattern): number {
  return (
    b.opening.length - a.opening.length ||
    b.closing.length - a.closing.length ||
    b.size - a.size ||
    Number(b.matrix >= 0) - Number(a.matrix >= 0) ||
    a.expressions - b.expressions ||
    compareText(a.shape, b.shape)
  )
}

/** Literal text, then patterns, then a variable alone. */
export function compareSegments(a: Segment, b: Segment): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0 || typeof a === 'string' || typeof b === 'string') return rank
  // A label behind a variable alone matches the same URIs.
  return a.kind === 'bare' ? 0 : comparePatterns(a, b)
}

function openingLength(part: Elastic): number {
  return part.kind === 'reserved' ? part.opening.length : 0
}

/** What stands behind the last elastic part in its segment. */
export function closingOf(head: Head): string {
  const last = head.elastics.at(-1)
  return last?.kind === 'reserved' ? last.closing : ''
}

function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + (typeof segment === 'string' ? segment.length : segment.size), 0)
}

function headSize({ left, elastics, blocks, right }: Head): number {
  const parts = elastics.reduce((sum, part) => sum + (part.kind === 'reserved' ? part.size : 0), 0)
  return sizeOf(left) + parts + sizeOf(blocks.flat()) + sizeOf(right)
}

function anchorSize({ blocks }: Head): number {
  return blocks.flat().reduce((sum, segment) => sum + (typeof segment === 'string' ? segment.length : 0), 0)
}

/** Several parts, then bounded ones, then `{+v}`, then a list of segments. */
function spanRank({ elastics }: Head): number {
  if (elastics.length > 1) return 0
  const part = elastics[0] as Elastic
  if (part.kind === 'reserved') return 2
  return part.places === Infinity ? 3 : 1
}

function places({ elastics }: Head): number {
  const part = elastics[0] as Elastic
  return part.kind === 'group' && part.places !== Infinity ? part.places : 0
}

/** The rows behind the last elastic part, from the right end, a longer row first. */
function compareRight(a: readonly Segment[], b: readonly Segment[]): number {
  for (let i = 1; i <= Math.min(a.length, b.length); i++) {
    const order = compareSegments(a[a.length - i] as Segment, b[b.length - i] as Segment)
    if (order !== 0) return order
  }
  return b.length - a.length
}

function compareElastics(a: Head, b: Head): number {
  const order =
    openingLength(b.elastics[0] as Elastic) - openingLength(a.elastics[0] as Elastic) ||
    compareRight(a.right, b.right) ||
    closingOf(b).length - closingOf(a).length ||
    spanRank(a) - spanRank(b)
  if (order !== 0) return order
  if (spanRank(a) === 0) {
    const anchors = anchorSize(b) - anchorSize(a)
    if (anchors !== 0) return anchors
  }
  return places(a) - places(b) || headSize(b) - headSize(a) || compareText(headShape(a), headShape(b))
}

function compareHeads(a: Head, b: Head): number {
  for (let i = 0; ; i++) {
    const left = a.left[i]
    const right = b.left[i]
    if (left !== undefined && right !== undefined) {
      const order = compareSegments(left, right)
      if (order !== 0) return order
      continue
    }
    const rank = rankAt(a, i) - rankAt(b, i)
    if (rank !== 0) return rank
    return a.elastics.length > 0 && b.elastics.length > 0 ? compareElastics(a, b) : 0
  }
}

function rankAt(head: Head, index: number): number {
  const segment = head.left[index]
  if (segment !== undefined) return rankOf(segment)
  return head.elastics.length > 0 ? ELASTIC : END
}

/** The parts a URI must have: written-out parameters by name, positional pieces, a written fragment. */
interface Required {
  readonly parts: readonly { readonly name: string; readonly value: Segment }[]
  readonly fixed: number
}

function requiredParts(query: Query, fragment: Fragment): Required {
  const parts: { name: string; value: Segment }[] = []
  if (query.kind === 'set') {
    const written = query.set.parameters.filter((parameter) => parameter.required)
    for (const { name, value } of written.toSorted((a, b) => compareText(a.name, b.name)))
      parts.push({ name, value: value ?? '' })
  } else if (query.kind === 'positional') {
    for (const value of query.pieces) parts.push({ name: '', value })
    if (query.rest !== undefined) parts.push({ name: '', value: { ...query.rest, kind: 'pattern', cuts: [] } })
  }
  if (fragment.kind === 'written') parts.push({ name: '#', value: fragment.text })
  return { parts, fixed: parts.filter((part) => typeof part.value === 'string').length }
}

/** Every name of the query, and `#` for an optional fragment. */
export function acceptedNames({ query, fragment }: CompiledTemplate): readonly string[] {
  const parameters: readonly Parameter[] = query.kind === 'set' ? query.set.parameters : []
  const names = parameters.map((parameter) => parameter.name)
  return fragment.kind === 'optional' ? [...names, '#'] : names
}

function compareTails(a: Ranked, b: Ranked): number {
  const positional = Number(a.compiled.query.kind === 'positional') - Number(b.compiled.query.kind === 'positional')
  if (positional !== 0) return positional
  const left = requiredParts(a.compiled.query, a.compiled.fragment)
  const right = requiredParts(b.compiled.query, b.compiled.fragment)
  const counts = right.parts.length - left.parts.length || right.fixed - left.fixed
  if (counts !== 0) return counts
  for (let i = 0; i < left.parts.length; i++) {
    const one = left.parts[i]
    const other = right.parts[i]
    if (one === undefined || other === undefined) continue
    const order = compareSegments(one.value, other.value)
    if (order !== 0) return order
  }
  const ignoring = Number(a.ignoreUnknown) - Number(b.ignoreUnknown)
  if (ignoring !== 0) return ignoring
  const names = acceptedNames(a.compiled).toSorted()
  const others = acceptedNames(b.compiled).toSorted()
  return (
    names.length - others.length ||
    compareText(names.join('&'), others.join('&')) ||
    compareText(templateShape(a.compiled), templateShape(b.compiled))
  )
}

/**
 * The order in which templates are tried: total, and independent of registration (docs/templates.md section 8).
 * Negative where `a` is tried first; 0 only for templates of one shape.
 */
export function compareTemplates(a: Ranked, b: Ranked): number {
  return compareText(a.compiled.scheme, b.compiled.scheme) || compareHeads(a.compiled.head, b.compiled.head) || compareTails(a, b)
}
