import { asTemplate, compiledForm, matchPrepared } from './template-match.ts'
import { matchHead, matchRow } from './head-match.ts'
import { decodeSegment } from './percent.ts'
import { uriFault } from './normal-form.ts'
import { prepared } from './prepared-uri.ts'
import { matchFragment, matchQuery } from './query-match.ts'
import { matchAgainst, matchSegment } from './segment-match.ts'
import { startValues } from './value-store.ts'
import type { CompiledTemplate, Head, Query } from './compiled-template.ts'
import type { MatchOptions } from './template-match.ts'
import type { Template } from './template-parse.ts'

/** Why a URI does not match a template. */
export interface MatchExplanation {
  /** `uri`: no URI at all; `values`: the cut fits, what it captured does not. */
  readonly component: 'uri' | 'scheme' | 'path' | 'query' | 'fragment' | 'values'
  /** Where it first goes wrong: in the URI as given for `uri`, else in its normal form; UTF-16 code units. */
  readonly offset: number
  /** The parameter names the query of the template knows; empty for other components. */
  readonly names: readonly string[]
}

/**
 * Why a template does not match a URI, for a log: undefined where it does match.
 * Throws `invalid-template` as `matchTemplate` does.
 */
export function explainMatch(template: string | Template, uri: string, options?: MatchOptions): MatchExplanation | undefined {
  const compiled = compiledForm(asTemplate(template))
  const ignoreUnknown = options?.unknownParameters === 'ignore'
  if (!prepared.prepare(uri)) return explanation('uri', uriFault(uri)?.offset ?? 0)
  const { colon, text } = prepared
  if (text.slice(0, colon) !== compiled.scheme) return explanation('scheme', 0)
  if (compiled.kind === 'static') {
    return explainStatic(compiled.uri, compiled.folds ? prepared.folded() : text)
  }
  if (matchPrepared(compiled, ignoreUnknown) !== undefined) return undefined
  return explainTemplate(compiled, ignoreUnknown)
}

function explanation(component: MatchExplanation['component'], offset: number, names: readonly string[] = []): MatchExplanation {
  return { component, offset, names }
}

function explainStatic(wanted: string, uri: string): MatchExplanation | undefined {
  if (wanted === uri) return undefined
  let at = 0
  while (wanted.charCodeAt(at) === uri.charCodeAt(at)) at++
  const { headEnd, fragmentStart } = prepared
  return explanation(at < headEnd ? 'path' : fragmentStart >= 0 && at >= fragmentStart - 1 ? 'fragment' : 'query', at)
}

function explainTemplate(compiled: CompiledTemplate, ignoreUnknown: boolean): MatchExplanation {
  const { head, query, fragment, names } = compiled
  matchAgainst(compiled.folds ? prepared.folded() : prepared.text)
  if (!matchHead(head)) return explanation('path', pathOffset(head))
  startValues(names.length)
  if (!matchQuery(query, ignoreUnknown)) return explanation('query', queryOffset(query, ignoreUnknown), parameterNames(query))
  const { fragmentStart, text } = prepared
  if (!matchFragment(fragment)) return explanation('fragment', fragmentStart < 0 ? text.length : fragmentStart - 1)
  return explanation('values', prepared.colon + 1)
}

/** The first segment that does not fit, from the left; the end of the path where segments are missing. */
function pathOffset({ left, right, elastics }: Head): number {
  const { count, headEnd } = prepared
  for (let i = 0; i < left.length; i++) {
    if (i >= count) return headEnd
    if (!matchRow(left.slice(i, i + 1), i)) return prepared.segmentStart(i)
  }
  if (elastics.length === 0) return count > left.length ? prepared.segmentStart(left.length) - 1 : headEnd
  const first = count - right.length
  for (let i = 0; i < right.length; i++) {
    if (first + i < left.length) return headEnd
    if (!matchRow(right.slice(i, i + 1), first + i)) return prepared.segmentStart(first + i)
  }
  return left.length < count ? prepared.segmentStart(left.length) : headEnd
}

function parameterNames(query: Query): readonly string[] {
  return query.kind === 'set' ? query.set.parameters.map((parameter) => parameter.name) : []
}

/** The first parameter that is unknown, there twice, or of another value; the end of the query where one is missing. */
function queryOffset(query: Query, ignoreUnknown: boolean): number {
  const { queryStart, queryEnd, headEnd, text } = prepared
  if (queryStart < 0) return headEnd
  if (query.kind !== 'set') return queryStart - 1
  const seen = new Set<string>()
  for (let from = queryStart; from <= queryEnd;) {
    const and = text.indexOf('&', from)
    const to = and < 0 || and > queryEnd ? queryEnd : and
    const equals = text.indexOf('=', from)
    const nameEnd = equals < 0 || equals > to ? to : equals
    const name = text.slice(from, nameEnd)
    const parameter = query.set.parameters.find((each) => each.name === name)
    if (parameter === undefined || from === to) {
      if (!ignoreUnknown) return from
    } else {
      if (seen.has(name) && parameter.use?.list !== true) return from
      const value = Math.min(nameEnd + 1, to)
      if (parameter.value !== undefined && !matchSegment(parameter.value, value, to)) return from
      if (parameter.use !== undefined && decodeSegment(text.slice(value, to)) === undefined) return from
      seen.add(name)
    }
    from = to + 1
  }
  return queryEnd
}
