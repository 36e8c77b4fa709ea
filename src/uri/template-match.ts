import { giveCaptures } from './capture-values.ts'
import { compileTemplate } from './template-compile.ts'
import { matchHead } from './head-match.ts'
import { parseTemplate } from './template-parse.ts'
import { prepared } from './prepared-uri.ts'
import { captureStart, matchAgainst } from './segment-match.ts'
import { giveQueryLists, matchFragment, matchQuery } from './query-match.ts'
import { buildValues, prefixesAgree, startValues } from './value-store.ts'
import type { Compiled, CompiledTemplate } from './compiled-template.ts'
import type { Template } from './template-parse.ts'
import type { TemplateValues } from './template-types.ts'
import type { Value } from './value-store.ts'

export interface MatchOptions {
  /** What query parameters the template does not name do: no match (the default), or nothing. */
  readonly unknownParameters?: 'refuse' | 'ignore'
}

/** The prepared URI against one template: structure first, then contents (docs/templates.md section 6). */
export function matchPrepared(compiled: CompiledTemplate, ignoreUnknown: boolean): Record<string, Value> | undefined {
  const { head, query, fragment, captures, names, folds } = compiled
  matchAgainst(folds ? prepared.folded() : prepared.text)
  for (let i = 0; i < captures.length; i++) captureStart[i] = -1
  if (!matchHead(head)) return undefined
  startValues(names.length)
  if (!matchQuery(query, ignoreUnknown) || !matchFragment(fragment)) return undefined
  if (!giveCaptures(captures) || !giveQueryLists(query) || !prefixesAgree()) return undefined
  return buildValues(names)
}

const compiledOf = new WeakMap<Template, Compiled>()

/** The compiled form of a parsed template, made once. Throws `invalid-template`. */
export function compiledForm(template: Template): Compiled {
  let compiled = compiledOf.get(template)
  if (compiled === undefined) {
    compiled = compileTemplate(template)
    compiledOf.set(template, compiled)
  }
  return compiled
}

/** So many texts keep their parsed form; the oldest gives way. */
const MAX_TEXTS = 128
const parsedTexts = new Map<string, Template>()

/** A template given as text or parsed. Throws `invalid-template`. */
export function asTemplate(template: string | Template): Template {
  if (typeof template !== 'string') return isParsed(template) ? template : parseTemplate(template)
  let parsed = parsedTexts.get(template)
  if (parsed === undefined) {
    parsed = parseTemplate(template)
    if (parsedTexts.size >= MAX_TEXTS) parsedTexts.delete(parsedTexts.keys().next().value as string)
    parsedTexts.set(template, parsed)
  }
  return parsed
}

/** False for what callers without types may hand in; parsing refuses it in words. */
function isParsed(template: unknown): template is Template {
  return typeof template === 'object' && template !== null && 'parts' in template
}

/**
 * The values of a template in a URI, or undefined where it does not match (docs/templates.md sections 5 and 6).
 * Values are decoded once; absent ones have no key. Costs the length of the URI; no exception comes from the URI.
 * Throws `invalid-template` for a template that may not be registered.
 */
export function matchTemplate<const T extends string>(
  template: T | Template<T>,
  uri: string,
  options?: MatchOptions,
): TemplateValues<T> | undefined {
  const compiled = compiledForm(asTemplate(template))
  if (!prepared.prepare(uri)) return undefined
  if (compiled.kind === 'static') {
    const text = compiled.folds ? prepared.folded() : prepared.text
    return text === compiled.uri ? ({} as TemplateValues<T>) : undefined
  }
  if (!isScheme(compiled.scheme)) return undefined
  return matchPrepared(compiled, options?.unknownParameters === 'ignore') as TemplateValues<T> | undefined
}

function isScheme(scheme: string): boolean {
  return scheme.length === prepared.colon && prepared.text.startsWith(scheme)
}
