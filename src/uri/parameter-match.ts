import { isDecodable } from './percent.ts'
import { prepared } from './prepared-uri.ts'
import { matchSegment } from './segment-match.ts'
import { decodePiece, givePiece, giveValue } from './value-store.ts'
import type { Parameter, ParameterSet, Use } from './compiled-template.ts'

/** Which run last saw each parameter; a fresh number a run spares clearing it. */
const seen: number[] = []
let run = 0

function indexOfName(set: ParameterSet, start: number, end: number): number {
  const { text } = prepared
  const { parameters, byName } = set
  if (byName !== undefined) return byName.get(text.slice(start, end)) ?? -1
  for (let i = 0; i < parameters.length; i++) {
    const { name } = parameters[i] as Parameter
    if (name.length === end - start && text.startsWith(name, start)) return i
  }
  return -1
}

/** The pair that `nextPair` found last. */
let nameEnd = 0
let valueStart = 0
let pairEnd = 0

function nextPair(from: number, end: number, separator: number): void {
  const { text } = prepared
  nameEnd = -1
  let to = from
  for (; to < end; to++) {
    const code = text.charCodeAt(to)
    if (code === separator) break
    if (code === 0x3d && nameEnd < 0) nameEnd = to
  }
  valueStart = nameEnd < 0 ? to : nameEnd + 1
  // An empty pair is no pair, even where a parameter has an empty name.
  if (nameEnd < 0) nameEnd = to === from ? -1 : to
  pairEnd = to
}

/**
 * Parameters between separators, by name and in any order: each required one once, no name twice unless a list,
 * no empty pair, no unknown name unless those are ignored. Lists are only checked: see `giveLists`.
 */
export function matchParameters(
  set: ParameterSet,
  start: number,
  end: number,
  separator: number,
  ignoreUnknown: boolean,
): boolean {
  const { parameters } = set
  const stamp = ++run
  let required = 0
  for (let from = start; from <= end; from = pairEnd + 1) {
    nextPair(from, end, separator)
    const index = nameEnd < 0 ? -1 : indexOfName(set, from, nameEnd)
    if (index < 0) {
      if (ignoreUnknown) continue
      return false
    }
    const { use, value } = parameters[index] as Parameter
    if (use?.list === true) {
      if (prepared.hasTriplets && !isDecodable(prepared.text, valueStart, pairEnd)) return false
      continue
    }
    if (seen[index] === stamp) return false
    seen[index] = stamp
    if (use !== undefined) {
      if (!givePiece(use, valueStart, pairEnd)) return false
    } else if (value !== undefined) {
      if (!matchSegment(value, valueStart, pairEnd)) return false
      required++
    }
  }
  return required === set.required
}

/** The lists among parameters that match; apart, so that nothing is collected for a URI that does not. */
export function giveLists(set: ParameterSet, start: number, end: number, separator: number): boolean {
  const { parameters } = set
  if (!set.lists) return true
  const lists = new Map<Use, string[]>()
  for (let from = start; from <= end; from = pairEnd + 1) {
    nextPair(from, end, separator)
    const index = nameEnd < 0 ? -1 : indexOfName(set, from, nameEnd)
    const use = index < 0 ? undefined : (parameters[index] as Parameter).use
    if (use?.list !== true) continue
    const item = decodePiece(valueStart, pairEnd)
    if (item === undefined) return false
    const items = lists.get(use)
    if (items === undefined) lists.set(use, [item])
    else items.push(item)
  }
  for (const [use, items] of lists) if (!giveValue(use, items)) return false
  return true
}
