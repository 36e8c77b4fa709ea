import { encodeText } from './percent.ts'
import { firstScalars } from './first-scalars.ts'
import { invalidValues } from './value-fault.ts'
import type { Allowed } from './percent.ts'
import type { ExpressionPart, Operator, Template, VariableSpec } from './template-parse.ts'
import type { ScalarValue } from './template-types.ts'

/** The table of RFC 6570 appendix A. */
interface OperatorForm {
  readonly first: string
  readonly separator: string
  readonly named: boolean
  readonly ifEmpty: string
  readonly allowed: Allowed
}

const FORMS: Record<Operator, OperatorForm> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', allowed: 'unreserved' },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', allowed: 'reserved' },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', allowed: 'reserved' },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', allowed: 'unreserved' },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', allowed: 'unreserved' },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', allowed: 'unreserved' },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', allowed: 'unreserved' },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', allowed: 'unreserved' },
}

/** A defined value of RFC 6570 section 2.3, its scalars as text, its undefined members gone. */
export type DefinedValue = string | readonly string[] | ReadonlyMap<string, string>

/** Values by name; what `expandTemplate` takes, seen without types. */
export type ValueRecord = Readonly<Record<string, unknown>>

function isScalar(value: unknown): value is ScalarValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The value of a name as RFC 6570 defines it: undefined where absent. Throws `invalid-values` for what is no value. */
export function definedValue(template: string, values: ValueRecord, name: string): DefinedValue | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined || value === null) return undefined
  if (isScalar(value)) return String(value)
  const text = (member: unknown): string => {
    if (isScalar(member)) return String(member)
    throw invalidValues(template, name, 'type')
  }
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).filter((item) => item !== undefined && item !== null).map(text)
    return items
  }
  if (typeof value !== 'object') throw invalidValues(template, name, 'type')
  const members = new Map<string, string>()
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined && member !== null) members.set(key, text(member))
  }
  return members
}

/** What a template prints for these values: RFC 6570 section 3. Throws `invalid-values`. */
export function expand(template: Template, values: ValueRecord): string {
  let out = ''
  for (const part of template.parts) {
    if (part.kind === 'expression') {
      out += expandExpression(template.text, part, values)
      continue
    }
    const literal = encodeText(part.text, 'reserved')
    if (typeof literal === 'string') out += literal
  }
  return out
}

function expandExpression(template: string, part: ExpressionPart, values: ValueRecord): string {
  const form = FORMS[part.operator]
  const printed: string[] = []
  for (const variable of part.variables) {
    const value = definedValue(template, values, variable.name)
    if (value === undefined) continue
    const text = expandVariable(template, form, variable, value)
    if (text !== undefined) printed.push(text)
  }
  return printed.length === 0 ? '' : form.first + printed.join(form.separator)
}

function expandVariable(template: string, form: OperatorForm, variable: VariableSpec, value: DefinedValue): string | undefined {
  const encode = (text: string): string => {
    const encoded = encodeText(text, form.allowed)
    if (typeof encoded === 'number') throw invalidValues(template, variable.name, 'type')
    return encoded
  }
  const pair = (name: string, printed: string): string => (printed === '' ? name + form.ifEmpty : `${name}=${printed}`)
  const { name, explode, prefix } = variable
  if (typeof value === 'string') {
    const printed = encode(prefix > 0 ? firstScalars(value, prefix) : value)
    return form.named ? pair(name, printed) : printed
  }
  const isList = Array.isArray(value)
  if (prefix > 0) throw invalidValues(template, name, isList ? 'list' : 'map')
  let printed: string[]
  if (isList) {
    const items = value as readonly string[]
    printed = items.map((item) => (explode && form.named ? pair(name, encode(item)) : encode(item)))
  } else {
    const members = [...(value as ReadonlyMap<string, string>)]
    printed = explode
      ? members.map(([key, text]) => (form.named ? pair(encode(key), encode(text)) : `${encode(key)}=${encode(text)}`))
      : members.flatMap(([key, text]) => [encode(key), encode(text)])
  }
  if (printed.length === 0) return undefined
  if (explode) return printed.join(form.separator)
  return form.named ? pair(name, printed.join(',')) : printed.join(',')
}
