import type { Operator } from './template-parse.ts'

/** One occurrence of a variable in what is matched. */
export interface Use {
  /** Which of the template's names, by first appearance. */
  readonly variable: number
  readonly list: boolean
  /** Code points compared with the full value elsewhere; 0 for the full value itself. */
  readonly prefix: number
}

/** One way to place captures between literals; there is one literal more than captures. */
export interface Cut {
  readonly literals: readonly string[]
  /** Indexes into `CompiledTemplate.captures`, from the left. */
  readonly captures: readonly number[]
  /** Fewest characters of each capture: 0 or 1. */
  readonly minimums: readonly number[]
}

/** What is needed to order a stretch of template and to find it in a table. */
export interface Form {
  /** The text with names left out. */
  readonly shape: string
  readonly opening: string
  readonly closing: string
  /** Literal characters in all. */
  readonly size: number
  /** Expressions. */
  readonly expressions: number
}

/** Literals and captures in one segment, query piece or fragment. */
export interface Pattern extends Form {
  readonly kind: 'pattern' | 'bare'
  /** Most labels first; tried in this order. */
  readonly cuts: readonly Cut[]
  /** Captures that are absent where fewer labels stand. */
  readonly labels: readonly number[]
  /** The capture of `;` parameters, or -1. */
  readonly matrix: number
}

/** Literal text alone, or a pattern. */
export type Segment = string | Pattern

/** `{+v}` in a segment. */
export interface Reserved extends Form {
  readonly kind: 'reserved'
  readonly capture: number
  /** Over one segment: an ordinary pattern. */
  readonly whole: readonly Cut[]
  /** What stands before the variable, in the first of several segments; absent where nothing does. */
  readonly before: readonly Cut[] | undefined
  /** What stands behind it, in the last of several. */
  readonly after: readonly Cut[] | undefined
  readonly labels: readonly number[]
  /** Which side of the variable the labels stand on. */
  readonly labelsBefore: boolean
  readonly matrix: number
}

/** `{/a,b}` or `{/a,v*}`, between segments. */
export interface Group {
  readonly kind: 'group'
  readonly capture: number
  /** Most segments it takes; Infinity with a list. */
  readonly places: number
}

export type Elastic = Reserved | Group

/** A parameter of a query set or of a matrix. */
export interface Parameter {
  /** In normal form. */
  readonly name: string
  readonly required: boolean
  /** A written-out value: equal text, or a pattern. */
  readonly value: Segment | undefined
  /** The variable of an optional one. */
  readonly use: Use | undefined
}

export interface ParameterSet {
  readonly parameters: readonly Parameter[]
  /** How many are required. */
  readonly required: number
  /** Whether any is a list. */
  readonly lists: boolean
  /** By name, where there are many. */
  readonly byName: ReadonlyMap<string, number> | undefined
}

export type Query =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly set: ParameterSet; /** With a written `?`. */ readonly written: boolean }
  | { readonly kind: 'positional'; readonly pieces: readonly Segment[]; readonly rest: Reserved | undefined }

export type Fragment =
  | { readonly kind: 'none' }
  | { readonly kind: 'written'; readonly text: Segment }
  | { readonly kind: 'optional'; readonly capture: number; readonly places: number }

/** How the text of a capture becomes values. */
export type Capture =
  | { readonly kind: 'text'; readonly operator: Operator; readonly use: Use; readonly encodedSlash: boolean }
  | { readonly kind: 'commas'; readonly operator: Operator; readonly uses: readonly Use[]; readonly encodedSlash: boolean }
  | { readonly kind: 'dots'; readonly use: Use }
  | { readonly kind: 'segments'; readonly uses: readonly Use[] }
  | { readonly kind: 'matrix'; readonly set: ParameterSet }

/** The path part: fixed rows of segments around elastic parts. */
export interface Head {
  readonly left: readonly Segment[]
  readonly elastics: readonly Elastic[]
  /** The segments between each two elastic parts. */
  readonly blocks: readonly (readonly Segment[])[]
  readonly right: readonly Segment[]
}

/** A template that may be matched. */
export interface CompiledTemplate {
  readonly kind: 'template'
  /** As it was given; the parsed form is not kept, since a table holds many. */
  readonly text: string
  readonly scheme: string
  /** True where the literal text of the authority compares without case; it is in lower case here. */
  readonly folds: boolean
  readonly head: Head
  readonly query: Query
  readonly fragment: Fragment
  readonly captures: readonly Capture[]
  /** By first appearance. */
  readonly names: readonly string[]
}

/** A template without expressions: one URI, compared whole. */
export interface StaticTemplate {
  readonly kind: 'static'
  readonly text: string
  readonly scheme: string
  /** True where the authority compares without case. */
  readonly folds: boolean
  /** Normal form, authority in lower case where case does not count. */
  readonly uri: string
}

export type Compiled = CompiledTemplate | StaticTemplate
