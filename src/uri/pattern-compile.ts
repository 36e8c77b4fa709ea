import { foldCase } from './normal-form.ts'
import type { Cut, Pattern, Reserved, Segment } from './compiled-template.ts'

/** What one stretch of template (a segment, a query piece, a fragment) is made of, in order. */
export type Item =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'capture'; readonly capture: number; readonly places: number; readonly reserved: boolean }
  | { readonly kind: 'labels'; readonly captures: readonly number[] }

/** Matrix parameters at the end of a segment. */
export interface MatrixItem {
  readonly capture: number
  readonly places: number
}

const commas = (places: number): string => ','.repeat(places - 1)

function fold(text: string, folds: boolean): string {
  return folds ? foldCase(text) : text
}

/** The cut with `count` labels present: each is a dot and a capture that may be empty. */
function cutOf(items: readonly Item[], count: number, minimum: number, folds: boolean): Cut {
  const literals: string[] = []
  const captures: number[] = []
  const minimums: number[] = []
  let literal = ''
  const capture = (index: number, least: number): void => {
    literals.push(literal)
    literal = ''
    captures.push(index)
    minimums.push(least)
  }
  for (const item of items) {
    if (item.kind === 'text') literal += fold(item.text, folds)
    else if (item.kind === 'capture') capture(item.capture, minimum)
    else {
      for (const label of item.captures.slice(0, count)) {
        literal += '.'
        capture(label, 0)
      }
    }
  }
  literals.push(literal)
  return { literals, captures, minimums }
}

function labelsOf(items: readonly Item[]): readonly number[] {
  for (const item of items) if (item.kind === 'labels') return item.captures
  return NO_LABELS
}

const NO_LABELS: readonly number[] = []

function cutsOf(items: readonly Item[], minimum: number, folds: boolean): readonly Cut[] {
  const most = labelsOf(items).length
  return Array.from({ length: most + 1 }, (_, fewer) => cutOf(items, most - fewer, minimum, folds))
}

/** The template text of these items with names left out. */
function shapeOf(items: readonly Item[], matrix: MatrixItem | undefined, folds: boolean): string {
  let shape = ''
  for (const item of items) {
    if (item.kind === 'text') shape += fold(item.text, folds)
    else if (item.kind === 'capture') shape += `{${item.reserved ? '+' : ''}${commas(item.places)}}`
    else shape += `{.${commas(item.captures.length)}}`
  }
  return matrix === undefined ? shape : `${shape}{;${commas(matrix.places)}}`
}

function literalSize(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'text' ? item.text.length : 0), 0)
}

/** A stretch without `{+v}`: literal text alone, or a pattern. */
export function compileSegment(
  items: readonly Item[],
  matrix: MatrixItem | undefined,
  options: { readonly folds: boolean; readonly minimum?: 0 | 1 },
): Segment {
  const { folds, minimum = 1 } = options
  const first = items[0]
  const last = items.at(-1)
  if (matrix === undefined && items.every((item) => item.kind === 'text')) {
    return fold(items.map((item) => (item.kind === 'text' ? item.text : '')).join(''), folds)
  }
  const whole =
    first?.kind === 'capture' && first.places === 1 && (items.length === 1 || (items.length === 2 && last?.kind === 'labels'))
  const bare = whole && matrix === undefined
  const literalOnly = items.length === 1 && first?.kind === 'text'
  const pattern: Pattern = {
    kind: bare ? 'bare' : 'pattern',
    shape: bare ? '{}' : shapeOf(items, matrix, folds),
    opening: first?.kind === 'text' ? fold(first.text, folds) : '',
    closing: last?.kind === 'text' && !literalOnly ? fold(last.text, folds) : '',
    size: literalSize(items),
    expressions: items.filter((item) => item.kind !== 'text').length + (matrix === undefined ? 0 : 1),
    cuts: cutsOf(items, minimum, folds),
    labels: labelsOf(items),
    matrix: matrix?.capture ?? -1,
  }
  return pattern
}

/** A stretch with one `{+v}`. Where case does not count it counts again behind the first separator. */
export function compileReserved(items: readonly Item[], matrix: MatrixItem | undefined, folds: boolean): Reserved {
  const at = items.findIndex((item) => item.kind === 'capture' && item.reserved)
  const item = items[at] as Item & { readonly kind: 'capture' }
  const before = items.slice(0, at)
  const after = items.slice(at + 1)
  const opening = before[0]
  const closing = after.at(-1)
  return {
    kind: 'reserved',
    capture: item.capture,
    whole: cutsOf(items, 1, folds),
    before: before.length === 0 ? undefined : restOf(cutsOf([...before, item], 1, folds), 'last'),
    after: after.length === 0 ? undefined : restOf(cutsOf([item, ...after], 1, false), 'first'),
    labels: labelsOf(items),
    labelsBefore: before.some((each) => each.kind === 'labels'),
    matrix: matrix?.capture ?? -1,
    shape: shapeOf(before, undefined, folds) + shapeOf([item, ...after], matrix, false),
    opening: opening?.kind === 'text' ? fold(opening.text, folds) : '',
    closing: closing?.kind === 'text' ? closing.text : '',
    size: literalSize(items),
    expressions: items.filter((each) => each.kind !== 'text').length,
  }
}

/** Over several segments the variable holds a slash anyway, so its share of this one may be empty. */
function restOf(cuts: readonly Cut[], place: 'first' | 'last'): readonly Cut[] {
  return cuts.map((cut) => ({
    ...cut,
    minimums: cut.minimums.map((least, i) => (i === (place === 'first' ? 0 : cut.minimums.length - 1) ? 0 : least)),
  }))
}
