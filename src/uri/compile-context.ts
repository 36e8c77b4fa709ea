import { normalText } from './normal-form.ts'
import { templateFault } from './template-fault.ts'
import { tripletAt } from './uri-characters.ts'
import type { Capture, Parameter, ParameterSet, Use } from './compiled-template.ts'
import type { ExpressionPart, Template, VariableSpec } from './template-parse.ts'

/** From here on a map finds a parameter faster than comparing names. */
const MANY_PARAMETERS = 8

/** The names and captures of one template while it is compiled, and the rules about them. */
export class CompileContext {
  readonly text: string
  readonly captures: Capture[] = []
  readonly names: string[] = []
  readonly #lists: boolean[] = []
  readonly #full: boolean[] = []
  readonly #prefixed: VariableSpec[] = []
  readonly #labelSpecs = new Map<number, VariableSpec>()

  constructor(template: Template) {
    this.text = template.text
  }

  /** Literal text in normal form. */
  literal(raw: string, offset: number): string {
    const normal = normalText(raw)
    if (normal !== undefined) return normal
    // Everything else that has no normal form is refused by the grammar: this is %00.
    let at = 0
    while (!(raw.charCodeAt(at) === 0x25 && tripletAt(raw, at) === 0)) at++
    throw templateFault(this.text, 'percent', offset + at)
  }

  normalName(spec: VariableSpec): string {
    return this.literal(spec.name, spec.offset)
  }

  use(spec: VariableSpec): Use {
    let variable = this.names.indexOf(spec.name)
    if (variable < 0) {
      variable = this.names.length
      this.names.push(spec.name)
      this.#lists.push(spec.explode)
      this.#full.push(false)
    } else if (this.#lists[variable] !== spec.explode) {
      throw templateFault(this.text, 'repeated', spec.offset)
    }
    if (spec.prefix > 0) this.#prefixed.push(spec)
    else this.#full[variable] = true
    return { variable, list: spec.explode, prefix: spec.prefix }
  }

  /** Every prefix needs the full value somewhere. */
  checkPrefixes(): void {
    for (const spec of this.#prefixed) {
      if (this.#full[this.names.indexOf(spec.name)] !== true) throw templateFault(this.text, 'prefix', spec.offset)
    }
  }

  /** A list takes what is left, so it is the last of its expression. */
  listLast(part: ExpressionPart): void {
    const list = part.variables.slice(0, -1).find((variable) => variable.explode)
    if (list !== undefined) throw templateFault(this.text, 'explode-order', list.offset)
  }

  /** The index of a capture whose text becomes values later on. */
  reserveCapture(): number {
    this.captures.push(NO_CAPTURE)
    return this.captures.length - 1
  }

  /** The capture of `{v}`, `{+v}` or `{#v}` with one place, a list, or several places. */
  capture(part: ExpressionPart, options: { readonly encodedSlash: boolean }): number {
    this.listLast(part)
    if (part.operator !== '') {
      const prefixed = part.variables.find((variable) => variable.prefix > 0)
      if (prefixed !== undefined) throw templateFault(this.text, 'prefix', prefixed.offset)
    }
    const uses = part.variables.map((variable) => this.use(variable))
    const first = uses[0] as Use
    const { encodedSlash } = options
    const { operator } = part
    this.captures.push(
      uses.length === 1 && !first.list
        ? { kind: 'text', operator, use: first, encodedSlash }
        : { kind: 'commas', operator, uses, encodedSlash },
    )
    return this.captures.length - 1
  }

  label(spec: VariableSpec): number {
    const use = this.use(spec)
    this.captures.push(use.list ? { kind: 'dots', use } : { kind: 'text', operator: '.', use, encodedSlash: true })
    this.#labelSpecs.set(this.captures.length - 1, spec)
    return this.captures.length - 1
  }

  /** The list among labels compiled before. */
  listLabel(captures: readonly number[]): VariableSpec | undefined {
    return captures.map((capture) => this.#labelSpecs.get(capture)).find((spec) => spec?.explode === true)
  }

  segments(capture: number, specs: readonly VariableSpec[]): void {
    this.captures[capture] = { kind: 'segments', uses: specs.map((spec) => this.use(spec)) }
  }

  matrix(capture: number, specs: readonly VariableSpec[]): void {
    const parameters: Parameter[] = []
    addParameters(this, parameters, specs)
    this.captures[capture] = { kind: 'matrix', set: parameterSet(parameters) }
  }
}

const NO_CAPTURE: Capture = { kind: 'segments', uses: [] }

export function parameterSet(parameters: readonly Parameter[]): ParameterSet {
  return {
    parameters,
    required: parameters.filter((parameter) => parameter.required).length,
    lists: parameters.some((parameter) => parameter.use?.list === true),
    byName: parameters.length < MANY_PARAMETERS ? undefined : new Map(parameters.map((each, i) => [each.name, i])),
  }
}

/** The parameters of `{;a,b*}` or `{?a,b*}`; refuses a name that is there already. */
export function addParameters(context: CompileContext, parameters: Parameter[], specs: readonly VariableSpec[]): void {
  for (const spec of specs) {
    const name = context.normalName(spec)
    if (parameters.some((parameter) => parameter.name === name)) throw templateFault(context.text, 'repeated', spec.offset)
    parameters.push({ name, required: false, value: undefined, use: context.use(spec) })
  }
}
