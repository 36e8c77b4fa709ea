import { compareTemplates } from './template-order.ts'
import { matchPrepared } from './template-match.ts'
import { prepared } from './prepared-uri.ts'
import type { CompiledTemplate } from './compiled-template.ts'
import type { Ranked } from './template-order.ts'
import type { Value } from './value-store.ts'

/** A template in a table. */
export interface Entry<T> extends Ranked {
  readonly value: T
}

export interface Found<T> {
  readonly entry: Entry<T>
  readonly variables: Readonly<Record<string, Value>>
}

/** So many templates may share a head without a fixed parameter to tell them apart. */
export const MAX_CROWD = 64

/** The `name=value` of the fixed parameters a template requires. */
function fixedPairs({ query }: CompiledTemplate): readonly string[] {
  if (query.kind !== 'set') return []
  return query.set.parameters.flatMap(({ name, value }) => (typeof value === 'string' ? [`${name}=${value}`] : []))
}

/** Templates that share a head, or a head but for its middle, in order. */
export class TemplateBucket<T> {
  readonly open: Entry<T>[] = []
  /** By one fixed parameter each. */
  #fixed: Map<string, Entry<T>[]> | undefined

  get isEmpty(): boolean {
    return this.open.length === 0 && this.#fixed === undefined
  }

  /** The list a template belongs to: that of its least crowded fixed parameter. */
  #listFor(compiled: CompiledTemplate): { readonly key: string | undefined; readonly list: readonly Entry<T>[] } {
    let key: string | undefined
    let list: readonly Entry<T>[] = this.open
    for (const pair of fixedPairs(compiled)) {
      const candidate = this.#fixed?.get(pair) ?? []
      if (key !== undefined && candidate.length >= list.length) continue
      key = pair
      list = candidate
    }
    return { key, list }
  }

  /** The template of the same shape. */
  duplicateOf(entry: Entry<T>): Entry<T> | undefined {
    const pairs = fixedPairs(entry.compiled)
    const lists = pairs.length === 0 ? [this.open] : pairs.map((pair) => this.#fixed?.get(pair) ?? [])
    for (const list of lists) {
      const same = list.find((other) => compareTemplates({ ...entry, ignoreUnknown: other.ignoreUnknown }, other) === 0)
      if (same !== undefined) return same
    }
    return undefined
  }

  /** One of the templates in the way, where there are too many already. */
  crowdedBy(compiled: CompiledTemplate): Entry<T> | undefined {
    const { list } = this.#listFor(compiled)
    return list.length >= MAX_CROWD ? list[0] : undefined
  }

  add(entry: Entry<T>): void {
    const { key } = this.#listFor(entry.compiled)
    if (key === undefined) return insert(this.open, entry)
    this.#fixed ??= new Map()
    const list = this.#fixed.get(key)
    if (list === undefined) this.#fixed.set(key, [entry])
    else insert(list, entry)
  }

  remove(entry: Entry<T>): void {
    if (take(this.open, entry)) return
    for (const key of fixedPairs(entry.compiled)) {
      const list = this.#fixed?.get(key)
      if (list === undefined || !take(list, entry)) continue
      if (list.length === 0) this.#fixed?.delete(key)
      if (this.#fixed?.size === 0) this.#fixed = undefined
      return
    }
  }

  /** The first template here that matches the prepared URI. */
  match(): Found<T> | undefined {
    for (const entry of this.#candidates()) {
      const variables = matchPrepared(entry.compiled, entry.ignoreUnknown)
      if (variables !== undefined) return { entry, variables }
    }
    return undefined
  }

  #candidates(): readonly Entry<T>[] {
    if (this.#fixed === undefined || prepared.queryStart < 0) return this.open
    const hits = this.#hits(this.#fixed)
    return hits.length === 0 ? this.open : [...hits, ...this.open].toSorted(compareTemplates)
  }

  /** The lists of the pairs in the query. A name that stands twice matches nothing, so it finds nothing. */
  #hits(fixed: ReadonlyMap<string, readonly Entry<T>[]>): readonly Entry<T>[] {
    const { text, queryStart, queryEnd } = prepared
    const byName = new Map<string, readonly Entry<T>[]>()
    for (let from = queryStart; from <= queryEnd;) {
      const and = text.indexOf('&', from)
      const to = and < 0 || and > queryEnd ? queryEnd : and
      const pair = text.slice(from, to)
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      byName.set(name, byName.has(name) ? [] : (fixed.get(equals < 0 ? `${pair}=` : pair) ?? []))
      from = to + 1
    }
    return [...byName.values()].flat()
  }
}

function insert<T>(list: Entry<T>[], entry: Entry<T>): void {
  const at = list.findIndex((other) => compareTemplates(entry, other) < 0)
  list.splice(at < 0 ? list.length : at, 0, entry)
}

function take<T>(list: Entry<T>[], entry: Entry<T>): boolean {
  const at = list.indexOf(entry)
  if (at >= 0) list.splice(at, 1)
  return at >= 0
}
