import { prepared } from './prepared-uri.ts'
import { decodeSegment } from './percent.ts'
import { firstScalars } from './first-scalars.ts'
import type { Use } from './compiled-template.ts'

export type Value = string | readonly string[]

/** The values of the template at hand by variable; undefined is absent. */
const found: (Value | undefined)[] = []
/** Prefixes wait until the full values are known. */
const prefixUses: Use[] = []
const prefixTexts: string[] = []

export function startValues(count: number): void {
  for (let i = 0; i < count; i++) found[i] = undefined
  prefixUses.length = 0
  prefixTexts.length = 0
}

/** A captured piece of the URI as text, decoded once; undefined where it is not UTF-8. */
export function decodePiece(start: number, end: number): string | undefined {
  const piece = prepared.text.slice(start, end)
  return prepared.hasTriplets ? decodeSegment(piece) : piece
}

function same(a: Value, b: Value): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return a.length === b.length && a.every((item, i) => item === b[i])
}

/** False where another occurrence of the variable has another value. */
export function giveValue(use: Use, value: Value): boolean {
  if (use.prefix > 0) {
    prefixUses.push(use)
    prefixTexts.push(value as string)
    return true
  }
  const before = found[use.variable]
  if (before !== undefined) return same(before, value)
  found[use.variable] = value
  return true
}

/** Decodes `start..end` for one variable. */
export function givePiece(use: Use, start: number, end: number): boolean {
  const text = decodePiece(start, end)
  return text !== undefined && giveValue(use, text)
}

/** False where a prefix does not begin the full value. */
export function prefixesAgree(): boolean {
  for (let i = 0; i < prefixUses.length; i++) {
    const use = prefixUses[i] as Use
    const full = found[use.variable]
    if (full !== undefined && firstScalars(full as string, use.prefix) !== prefixTexts[i]) return false
  }
  return true
}

/** The values as a plain object in the order of the template, only those present. */
export function buildValues(names: readonly string[]): Record<string, Value> {
  const values: Record<string, Value> = {}
  for (let i = 0; i < names.length; i++) {
    const value = found[i]
    if (value !== undefined) values[names[i] as string] = value
  }
  return values
}
