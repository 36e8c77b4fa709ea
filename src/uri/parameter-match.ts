import { decodePiece, givePiece, giveValue } from './value-store.ts'
import { prepared } from './prepared-uri.ts'
import { matchSegment } from './segment-match.ts'
import type { Parameter, ParameterSet } from './compiled-template.ts'

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

/**
 * Parameters between separators, by name and in any order: each required one once, no name twice unless a list,
 * no empty pair, no unknown name unless those are ignored. One lookup and one slice a parameter.
 */
export function matchParameters(
  set: ParameterSet,
  start: number,
  end: number,
  separator: number,
  ignoreUnknown: boolean,
): boolean {
  const { text } = prepared
  const { parameters } = set
  const stamp = ++run
  let required = 0
  let lists: Map<Parameter, string[]> | undefined
  for (let from = start; from <= end;) {
    let nameEnd = -1
    let to = from
    for (; to < end; to++) {
      const code = text.charCodeAt(to)
      if (code === separator) break
      if (code === 0x3d && nameEnd < 0) nameEnd = to
    }
    const index = indexOfName(set, from, nameEnd < 0 ? to : nameEnd)
    const valueStart = nameEnd < 0 ? to : nameEnd + 1
    from = to + 1
    const parameter = index < 0 ? undefined : parameters[index]
    // An empty pair is no pair, even where one has an empty name.
    if (parameter === undefined || (nameEnd < 0 && parameter.name === '')) {
      if (ignoreUnknown) continue
      return false
    }
    const { use, value } = parameter
    if (use?.list === true) {
      const item = decodePiece(valueStart, to)
      if (item === undefined) return false
      lists ??= new Map()
      const items = lists.get(parameter)
      if (items === undefined) lists.set(parameter, [item])
      else items.push(item)
      continue
    }
    if (seen[index] === stamp) return false
    seen[index] = stamp
    if (use !== undefined) {
      if (!givePiece(use, valueStart, to)) return false
    } else if (value !== undefined) {
      if (!matchSegment(value, valueStart, to)) return false
      required++
    }
  }
  if (required !== set.required) return false
  if (lists !== undefined) {
    for (const [{ use }, items] of lists) if (use !== undefined && !giveValue(use, items)) return false
  }
  return true
}
