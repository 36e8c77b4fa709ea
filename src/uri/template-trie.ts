import { closingOf, compareTemplates } from './template-order.ts'
import { prepared } from './prepared-uri.ts'
import { SegmentBranch } from './segment-branch.ts'
import { subject } from './segment-match.ts'
import { TemplateBucket } from './template-bucket.ts'
import { TextsByLength } from './texts-by-length.ts'
import type { Head, Segment } from './compiled-template.ts'
import type { Found } from './template-bucket.ts'

/** Segments behind the last elastic part, read from the right, then what stands behind it in its own segment. */
class RightNode<T> extends SegmentBranch<RightNode<T>> {
  readonly closings = new TextsByLength<TemplateBucket<T>>()

  get isEmpty(): boolean {
    return this.isLeaf && this.closings.size === 0
  }

  /** The bucket behind the first `left` segments of the right row. */
  bucket(head: Head, left: number): TemplateBucket<T> {
    const segment = head.right[left - 1]
    if (segment !== undefined) return childOf(this, segment, () => new RightNode<T>()).bucket(head, left - 1)
    const closing = closingOf(head).toLowerCase()
    let bucket = this.closings.get(closing)
    if (bucket === undefined) {
      bucket = new TemplateBucket<T>()
      this.closings.set(closing, bucket)
    }
    return bucket
  }

  /** `first..end` are the segments left for the elastic part. */
  match(first: number, end: number): Found<T> | undefined {
    if (end > first && !this.isLeaf) {
      const found = this.visit(prepared.segmentStart(end - 1), prepared.segmentEnd(end - 1), (child) =>
        child.match(first, end - 1),
      )
      if (found !== undefined) return found
    }
    for (const length of this.closings.lengths) {
      const found = length === 0 ? this.closings.get('')?.match() : this.#matchClosing(length, first, end)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The closing literal ends the last segment, or what stands before its matrix parameters. */
  #matchClosing(length: number, first: number, end: number): Found<T> | undefined {
    if (end <= first) return undefined
    const from = prepared.segmentStart(end - 1)
    const to = prepared.segmentEnd(end - 1)
    const whole = to - from < length ? undefined : this.closings.get(subject.slice(to - length, to).toLowerCase())
    const semicolon = subject.slice(from, to).indexOf(';')
    const before = semicolon < length ? undefined : subject.slice(from + semicolon - length, from + semicolon).toLowerCase()
    const other = before === undefined ? undefined : this.closings.get(before)
    if (whole === undefined || other === undefined || other === whole) return (whole ?? other)?.match()
    return bothInOrder(whole, other)
  }
}

/** Two buckets whose closing literals are of one length: one list decides. */
function bothInOrder<T>(one: TemplateBucket<T>, other: TemplateBucket<T>): Found<T> | undefined {
  const first = one.match()
  const second = other.match()
  if (first === undefined || second === undefined) return first ?? second
  return compareTemplates(first.entry, second.entry) <= 0 ? first : second
}

/** What a template's head leads to from here on, segment by segment from the left. */
export class HeadNode<T> extends SegmentBranch<HeadNode<T>> {
  /** Templates whose head ends here. */
  ends: TemplateBucket<T> | undefined
  /** Those with an elastic part here, by what stands before it in its segment. */
  elastics: TextsByLength<RightNode<T>> | undefined

  get isEmpty(): boolean {
    return this.isLeaf && this.ends === undefined && this.elastics === undefined
  }

  /** The first match among the templates below, for the segments of the prepared URI from `at` on. */
  match(at: number): Found<T> | undefined {
    const { count } = prepared
    if (at < count) {
      const found = this.visit(prepared.segmentStart(at), prepared.segmentEnd(at), (child) => child.match(at + 1))
      if (found !== undefined) return found
    } else if (this.ends !== undefined) {
      const found = this.ends.match()
      if (found !== undefined) return found
    }
    return this.elastics === undefined ? undefined : this.#matchElastics(this.elastics, at, count)
  }

  #matchElastics(elastics: TextsByLength<RightNode<T>>, at: number, count: number): Found<T> | undefined {
    for (const length of elastics.lengths) {
      if (length > 0 && (at >= count || prepared.segmentEnd(at) - prepared.segmentStart(at) < length)) continue
      const from = length === 0 ? 0 : prepared.segmentStart(at)
      const found = elastics.get(subject.slice(from, from + length))?.match(at, count)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The bucket of a head, made where there is none. */
  bucket(head: Head, at = 0): TemplateBucket<T> {
    const segment = head.left[at]
    if (segment !== undefined) return childOf(this, segment, () => new HeadNode<T>()).bucket(head, at + 1)
    if (head.elastics.length === 0) {
      this.ends ??= new TemplateBucket<T>()
      return this.ends
    }
    this.elastics ??= new TextsByLength<RightNode<T>>()
    let right = this.elastics.get(openingOf(head))
    if (right === undefined) {
      right = new RightNode<T>()
      this.elastics.set(openingOf(head), right)
    }
    return right.bucket(head, head.right.length)
  }

  /** Removes the empty bucket of a head and the nodes that led to it alone. */
  prune(head: Head): void {
    pruneLeft(this, head, 0)
  }
}

function openingOf(head: Head): string {
  const part = head.elastics[0]
  return part?.kind === 'reserved' ? part.opening : ''
}

function childOf<N extends SegmentBranch<N>>(node: N, segment: Segment, make: () => N): N {
  const known = node.find(segment)
  if (known !== undefined) return known
  const child = make()
  node.add(segment, child)
  return child
}

function pruneLeft<T>(node: HeadNode<T>, head: Head, at: number): void {
  const segment = head.left[at]
  if (segment !== undefined) {
    const child = node.find(segment)
    if (child === undefined) return
    pruneLeft(child, head, at + 1)
    if (child.isEmpty) node.remove(segment)
    return
  }
  if (head.elastics.length === 0) {
    if (node.ends?.isEmpty === true) node.ends = undefined
    return
  }
  const right = node.elastics?.get(openingOf(head))
  if (right === undefined) return
  pruneRight(right, head, head.right.length)
  if (right.isEmpty) node.elastics?.delete(openingOf(head))
  if (node.elastics?.size === 0) node.elastics = undefined
}

function pruneRight<T>(node: RightNode<T>, head: Head, left: number): void {
  const segment = head.right[left - 1]
  if (segment === undefined) {
    const closing = closingOf(head).toLowerCase()
    if (node.closings.get(closing)?.isEmpty === true) node.closings.delete(closing)
    return
  }
  const child = node.find(segment)
  if (child === undefined) return
  pruneRight(child, head, left - 1)
  if (child.isEmpty) node.remove(segment)
}
