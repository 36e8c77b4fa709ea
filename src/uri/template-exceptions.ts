import { isReserved } from './uri-characters.ts'
import type { Capture, CompiledTemplate, Cut, Elastic, Parameter, Pattern, Reserved, Segment, Use } from './compiled-template.ts'

/** The codes of docs/templates.md section 7, in its order. */
export const EXCEPTION_CODES = ['nul', 'map', 'list', 'absent', 'empty', 'gap', 'triplet', 'reserved', 'separator'] as const

/** One reason why a value of a variable may not come back. */
export interface Exception {
  readonly variable: number
  readonly code: (typeof EXCEPTION_CODES)[number]
  /** For `gap`: the variables that must not be present where this one is absent. */
  readonly later?: readonly number[]
  /** For `empty`: a list of one empty item counts too. */
  readonly single?: boolean
  /** For `reserved`: the characters that end the variable. */
  readonly ends?: string
}

function usesOf(capture: Capture): readonly Use[] {
  switch (capture.kind) {
    case 'text':
    case 'dots':
      return [capture.use]
    case 'commas':
    case 'segments':
      return capture.uses
    case 'matrix':
      return parameterUses(capture.set.parameters)
  }
}

function parameterUses(parameters: readonly Parameter[]): readonly Use[] {
  return parameters.flatMap((parameter) => (parameter.use === undefined ? [] : [parameter.use]))
}

/** Every reason why values of a template may not survive `match(expand(v))`, but for the type of a value. */
export function exceptionsOf(compiled: CompiledTemplate): readonly Exception[] {
  return new ExceptionFinder(compiled).find()
}

class ExceptionFinder {
  readonly #compiled: CompiledTemplate
  readonly #found: Exception[] = []

  constructor(compiled: CompiledTemplate) {
    this.#compiled = compiled
  }

  find(): readonly Exception[] {
    const { head, query, fragment, captures } = this.#compiled
    const optional = query.kind === 'set' ? parameterUses(query.set.parameters) : []
    for (const use of [...captures.flatMap(usesOf), ...optional]) this.#any(use)
    const values = this.#querySegments()
    const emptied = new Set(values.flatMap((value) => emptyCaptures(value)))
    const written = fragment.kind === 'written' ? [fragment.text] : []
    const inFragment = new Set(written.flatMap((text) => (typeof text === 'string' ? [] : (text.cuts[0]?.captures ?? []))))
    captures.forEach((capture, index) => {
      const ends = inFragment.has(index) ? '' : values.length > 0 && this.#isIn(values, index) ? '#' : '?#'
      this.#capture(capture, emptied.has(index), ends)
    })
    for (const use of optional) if (use.list) this.#add(use, { code: 'empty' })
    for (const segment of [...head.left, ...head.blocks.flat(), ...head.right, ...values, ...written]) {
      if (typeof segment !== 'string') this.#pattern(segment)
    }
    for (const part of head.elastics) if (part.kind === 'reserved') this.#reserved(part)
    if (query.kind === 'positional' && query.rest !== undefined) this.#reserved(query.rest)
    this.#behindFirstElastic(head.elastics, head.blocks.flat())
    return this.#found
  }

  #add(use: Use, exception: Omit<Exception, 'variable'>): void {
    this.#found.push({ variable: use.variable, ...exception })
  }

  #any(use: Use): void {
    this.#add(use, { code: 'nul' })
    this.#add(use, { code: 'map' })
    if (!use.list) this.#add(use, { code: 'list' })
  }

  #querySegments(): readonly Segment[] {
    const { query } = this.#compiled
    if (query.kind === 'set') return query.set.parameters.flatMap((parameter) => parameter.value ?? [])
    if (query.kind === 'none') return []
    const rest: readonly Segment[] = query.rest === undefined ? [] : [{ ...query.rest, kind: 'pattern', cuts: query.rest.whole }]
    return [...query.pieces, ...rest]
  }

  #isIn(segments: readonly Segment[], index: number): boolean {
    return segments.some((segment) => typeof segment !== 'string' && segment.cuts[0]?.captures.includes(index) === true)
  }

  #capture(capture: Capture, mayBeEmpty: boolean, ends: string): void {
    const uses = usesOf(capture)
    if (capture.kind === 'dots') {
      for (const use of uses) this.#add(use, { code: 'empty' })
      for (const use of uses) this.#add(use, { code: 'separator' })
    } else if (capture.kind === 'segments' || capture.kind === 'matrix') {
      for (const use of uses) if (use.list) this.#add(use, { code: 'empty' })
      if (capture.kind === 'segments') this.#gaps(uses)
    } else if (capture.operator !== '.') {
      this.#printed(capture, uses, mayBeEmpty, ends)
    }
  }

  /** `{v}`, `{+v}`, `{#v}`. */
  #printed(
    capture: Capture & { readonly kind: 'text' | 'commas' },
    uses: readonly Use[],
    mayBeEmpty: boolean,
    ends: string,
  ): void {
    const { operator, kind } = capture
    const optional = operator === '#'
    for (const use of uses) {
      if (!optional || uses.length > 1) this.#add(use, { code: 'absent' })
      if (use.list) this.#add(use, { code: 'empty', single: !optional && uses.length === 1 })
      else if (!optional && uses.length === 1 && !mayBeEmpty) this.#add(use, { code: 'empty' })
      if (operator === '') continue
      this.#add(use, { code: 'triplet' })
      if (operator === '+' && ends !== '') this.#add(use, { code: 'reserved', ends })
      if (kind === 'commas') this.#add(use, { code: 'separator' })
    }
  }

  #gaps(uses: readonly Use[]): void {
    const variables = uses.map((use) => use.variable)
    uses.slice(0, -1).forEach((use, i) => this.#add(use, { code: 'gap', later: variables.slice(i + 1) }))
  }

  #separator(capture: number | undefined): void {
    const found = capture === undefined ? undefined : this.#compiled.captures[capture]
    for (const use of found === undefined ? [] : usesOf(found)) this.#add(use, { code: 'separator' })
  }

  #pattern({ cuts, labels }: Pattern): void {
    const cut = cuts[0]
    if (cut === undefined) return
    this.#labels(cut, labels)
    for (let i = 1; i < cut.captures.length; i++) this.#behind(cut, i)
  }

  /** `{+v}` gives way to what stands behind it; what stands before it is found in the first segment. */
  #reserved(part: Reserved): void {
    const cut = part.whole[0]
    if (cut === undefined) return
    this.#labels(cut, part.labels)
    for (let i = 1; i < cut.captures.length; i++) this.#behind(cut, i)
    if (part.matrix >= 0) this.#separator(part.capture)
  }

  /** A capture that can print the literal before it. */
  #behind(cut: Cut, index: number): void {
    const capture = cut.captures[index] as number
    const literal = cut.literals[index] as string
    if (canPrint(this.#compiled.captures[capture], literal)) this.#separator(capture)
  }

  #labels(cut: Cut, labels: readonly number[]): void {
    const first = labels[0]
    if (first === undefined) return
    const index = cut.captures.indexOf(first)
    this.#separator(cut.captures[index - 1])
    const uses = labels.flatMap((label) => usesOf(this.#compiled.captures[label] as Capture))
    this.#gaps(uses)
    if (labels.length > 1 || (index > 0 && cut.literals[index] === '.')) for (const label of labels) this.#separator(label)
  }

  /** No anchor is a segment of a value after the first of several elastic parts. */
  #behindFirstElastic(elastics: readonly Elastic[], between: readonly Segment[]): void {
    if (elastics.length < 2) return
    for (const part of elastics.slice(1)) this.#separator(part.capture)
    for (const segment of between) {
      if (typeof segment !== 'string') for (const capture of segment.cuts[0]?.captures ?? []) this.#separator(capture)
    }
  }
}

function emptyCaptures(segment: Segment): readonly number[] {
  if (typeof segment === 'string') return []
  return segment.cuts.flatMap((cut) => (cut.captures.length === 1 && cut.minimums[0] === 0 ? cut.captures : []))
}

/** Simple expansion never prints a reserved character, but for the comma between places. */
function canPrint(capture: Capture | undefined, literal: string): boolean {
  if (capture === undefined || (capture.kind !== 'text' && capture.kind !== 'commas')) return true
  if (capture.operator === '+' || capture.operator === '#') return true
  for (const character of literal) {
    if (character === ',' && capture.kind === 'commas') continue
    if (isReserved(character.charCodeAt(0))) return false
  }
  return true
}
