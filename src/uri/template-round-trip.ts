import { definedValue, expand } from './template-expand.ts'
import { EXCEPTION_CODES, exceptionsOf } from './template-exceptions.ts'
import { invalidValues } from './value-fault.ts'
import { asTemplate, compiledForm, matchTemplate } from './template-match.ts'
import type { CompiledTemplate } from './compiled-template.ts'
import type { DefinedValue, ValueRecord } from './template-expand.ts'
import type { Exception } from './template-exceptions.ts'
import type { Template } from './template-parse.ts'
import type { ExpandValues } from './template-types.ts'

export interface ExpandOptions {
  /** Match the result back, and throw where that does not give the values again. Default false. */
  readonly reversible?: boolean
}

/**
 * What a template prints for values (RFC 6570 section 3): numbers and booleans as text, null and undefined as absent.
 * Throws `invalid-template`; `invalid-values` for what is no value; with `reversible` also, naming variable and code
 * of docs/templates.md section 7, where a match would not give the values back.
 */
export function expandTemplate<const T extends string>(
  template: T | Template<T>,
  values: ExpandValues<T>,
  options?: ExpandOptions,
): string {
  const parsed = asTemplate(template)
  const record = values as ValueRecord
  const uri = expand(parsed, record)
  if (options?.reversible === true) checkReversible(parsed, record, uri)
  return uri
}

type Matched = Readonly<Record<string, string | readonly string[] | undefined>>

function isSame(value: DefinedValue | undefined, matched: string | readonly string[] | undefined): boolean {
  if (value === undefined || typeof value === 'string') return value === matched
  if (!Array.isArray(value) || !Array.isArray(matched)) return false
  const items: readonly string[] = value
  return items.length === matched.length && items.every((item, i) => item === matched[i])
}

function checkReversible(template: Template, values: ValueRecord, uri: string): void {
  const compiled = compiledForm(template)
  const names = new Set([...(compiled.kind === 'template' ? compiled.names : []), ...Object.keys(values)])
  const defined = new Map([...names].map((name) => [name, definedValue(template.text, values, name)]))
  const matched: Matched | undefined = matchTemplate<string>(template, uri)
  const differs = (name: string): boolean => matched === undefined || !isSame(defined.get(name), own(matched, name))
  const wrong = [...names].filter(differs)
  if (wrong.length === 0) {
    if (matched !== undefined) return
    // Without a name to blame the template has none: a static URI always matches itself.
    throw invalidValues(template.text, '', 'separator')
  }
  if (compiled.kind === 'template') {
    const fault = firstFault(compiled, defined, differs)
    if (fault !== undefined) throw invalidValues(template.text, compiled.names[fault.variable] ?? '', fault.code)
  }
  const known = compiled.kind === 'template' ? compiled.names : []
  const stray = wrong.find((name) => !known.includes(name) && defined.get(name) !== undefined)
  if (stray !== undefined) throw invalidValues(template.text, stray, 'absent')
  const blamed = wrong.find((name) => defined.get(name) !== undefined) ?? wrong[0] ?? ''
  throw invalidValues(template.text, blamed, 'separator')
}

function own(matched: Matched, name: string): string | readonly string[] | undefined {
  return Object.hasOwn(matched, name) ? matched[name] : undefined
}

/** The first exception, in the order of the law, that these values meet. */
function firstFault(
  compiled: CompiledTemplate,
  defined: ReadonlyMap<string, DefinedValue | undefined>,
  differs: (name: string) => boolean,
): Exception | undefined {
  const exceptions = exceptionsOf(compiled)
  const nameOf = (variable: number): string => compiled.names[variable] ?? ''
  const valueOf = (variable: number): DefinedValue | undefined => defined.get(nameOf(variable))
  for (const code of EXCEPTION_CODES) {
    for (const exception of exceptions) {
      if (exception.code !== code) continue
      const met = code === 'separator' ? differs(nameOf(exception.variable)) : meets(exception, valueOf)
      if (met) return exception
    }
  }
  return undefined
}

function meets(exception: Exception, valueOf: (variable: number) => DefinedValue | undefined): boolean {
  const value = valueOf(exception.variable)
  const later = exception.later ?? []
  switch (exception.code) {
    case 'absent':
      return value === undefined
    case 'gap':
      return value === undefined && later.some((variable) => valueOf(variable) !== undefined)
    case 'map':
      return value !== undefined && typeof value !== 'string' && !Array.isArray(value)
    case 'list':
      return Array.isArray(value)
    case 'empty':
      if (value === undefined) return false
      if (typeof value === 'string') return value === ''
      return isEmptyList(value, exception.single === true)
    case 'nul':
      return texts(value).some((text) => text.includes('\u0000'))
    case 'triplet':
      return texts(value).some((text) => /%[0-9a-f]{2}/i.test(text))
    case 'reserved':
      return texts(value).some((text) => Array.from(exception.ends ?? '').some((character) => text.includes(character)))
    case 'separator':
      return false
  }
}

function isEmptyList(value: DefinedValue, single: boolean): boolean {
  if (!Array.isArray(value)) return false
  const items: readonly string[] = value
  return items.length === 0 || (single && items.length === 1 && items[0] === '')
}

function texts(value: DefinedValue | undefined): readonly string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? (value as readonly string[]) : [...(value as ReadonlyMap<string, string>).values()]
}
