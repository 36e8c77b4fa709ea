import { asTemplate, compiledForm } from './template-match.ts'
import { EXCEPTION_CODES, exceptionsOf } from './template-exceptions.ts'
import { ShelfError } from '../errors.ts'
import type { ValueFault } from '../errors.ts'
import type { Compiled } from './compiled-template.ts'
import type { Template } from './template-parse.ts'

/** A variable of a template, in the order of the text. */
export interface TemplateVariable {
  readonly name: string
  /** True where `{v}` or `{+v}` names it in full: a match always has it. */
  readonly required: boolean
  /** True after `*`. */
  readonly list: boolean
  /**
   * Which values do not survive `match(expand(v))`: codes of docs/templates.md section 7, in its order.
   * Empty for a template that only parses, of which nothing is promised.
   */
  readonly exceptions: readonly ValueFault[]
}

/**
 * The variables of a template: each name once. Also for a template that may not be registered, such as a foreign one.
 * Throws `invalid-template` where the text does not parse.
 */
export function templateVariables(template: string | Template): readonly TemplateVariable[] {
  const parsed = asTemplate(template)
  const exceptions = exceptionsByName(parsed)
  const variables = new Map<string, TemplateVariable & { readonly full: boolean }>()
  for (const part of parsed.parts) {
    if (part.kind === 'literal') continue
    for (const { name, explode, prefix } of part.variables) {
      const known = variables.get(name)
      const needed = part.operator === '' || part.operator === '+'
      const full = prefix === 0
      // A prefix says something only where the full value stands nowhere.
      const required =
        known === undefined ? needed : full && known.full ? needed || known.required : full ? needed : known.required
      variables.set(name, {
        name,
        required,
        list: explode || known?.list === true,
        exceptions: exceptions.get(name) ?? [],
        full: full || known?.full === true,
      })
    }
  }
  return [...variables.values()].map(({ name, required, list, exceptions: codes }) => ({
    name,
    required,
    list,
    exceptions: codes,
  }))
}

function exceptionsByName(template: Template): ReadonlyMap<string, readonly ValueFault[]> {
  const byName = new Map<string, readonly ValueFault[]>()
  const compiled = registrable(template)
  if (compiled?.kind !== 'template') return byName
  const found = exceptionsOf(compiled)
  compiled.names.forEach((name, variable) => {
    const codes = new Set(found.filter((exception) => exception.variable === variable).map((exception) => exception.code))
    byName.set(
      name,
      EXCEPTION_CODES.filter((code) => codes.has(code)),
    )
  })
  return byName
}

function registrable(template: Template): Compiled | undefined {
  try {
    return compiledForm(template)
  } catch (error) {
    if (ShelfError.is(error, 'invalid-template')) return undefined
    throw error
  }
}
