import { CompileContext } from './compile-context.ts'
import { FragmentCompiler } from './fragment-compile.ts'
import { HeadCompiler } from './head-compile.ts'
import { foldAuthority, foldsHost } from './normal-form.ts'
import { QueryCompiler } from './query-compile.ts'
import { templateFault } from './template-fault.ts'
import { isLetter, isSchemeCharacter, schemeEnd } from './uri-characters.ts'
import type { Compiled, CompiledTemplate, Fragment, Head, Query, StaticTemplate } from './compiled-template.ts'
import type { ExpressionPart, LiteralPart, Template } from './template-parse.ts'

const MAX_LENGTH = 2048
const MAX_VARIABLES = 32

/**
 * A template ready to be matched, by the rules of docs/templates.md section 4.
 * Throws `invalid-template` with reason and offset.
 */
export function compileTemplate(template: Template): Compiled {
  const { text, parts } = template
  if (text.length > MAX_LENGTH) throw templateFault(text, 'length', MAX_LENGTH)
  const first = parts[0]
  const colon = first?.kind === 'literal' ? schemeEnd(first.text) : -1
  if (first?.kind !== 'literal' || colon < 0) throw schemeFault(template)
  const scheme = first.text.slice(0, colon).toLowerCase()
  if (parts.length === 1) return compileStatic(template, first, scheme)
  countVariables(template)
  return compileVariable(template, scheme, colon)
}

function compileStatic(template: Template, literal: LiteralPart, scheme: string): StaticTemplate {
  const rest = new CompileContext(template).literal(literal.text.slice(scheme.length), scheme.length)
  const uri = scheme + rest
  const folds = foldsHost(scheme)
  return { kind: 'static', text: template.text, scheme, folds, uri: folds ? foldAuthority(uri, scheme.length) : uri }
}

/** A variable in the scheme where a scheme would end otherwise; no scheme at all in every other case. */
function schemeFault({ text, parts }: Template): Error {
  let variable = -1
  let length = 0
  for (const part of parts) {
    if (part.kind === 'expression') {
      if (part.operator !== '' && part.operator !== '+' && part.operator !== '.') break
      if (variable < 0) variable = part.offset
      continue
    }
    for (const character of part.text) {
      const code = character.charCodeAt(0)
      if (code === 0x3a) {
        if (variable >= 0) return templateFault(text, 'scheme-variable', variable)
        return templateFault(text, 'no-scheme', 0)
      }
      if (!isSchemeCharacter(code) || (length === 0 && variable < 0 && !isLetter(code)))
        return templateFault(text, 'no-scheme', 0)
      length++
    }
  }
  return templateFault(text, 'no-scheme', 0)
}

function countVariables({ text, parts }: Template): void {
  let count = 0
  for (const part of parts) {
    if (part.kind === 'literal') continue
    for (const variable of part.variables) {
      if (++count > MAX_VARIABLES) throw templateFault(text, 'variables', variable.offset)
    }
  }
}

function compileVariable(template: Template, scheme: string, colon: number): CompiledTemplate {
  const context = new CompileContext(template)
  const first = template.parts[0] as LiteralPart
  const folds = foldsHost(scheme) && first.text.startsWith('//', colon + 1)
  const zones = new Zones(context, folds)
  for (const part of template.parts) {
    if (part.kind === 'expression') zones.expression(part)
    else if (part === first) zones.text(part.text.slice(colon + 1), colon + 1)
    else zones.text(part.text, part.offset)
  }
  const { head, query, fragment } = zones.finish(template.text.length)
  context.checkPrefixes()
  return {
    kind: 'template',
    text: template.text,
    scheme,
    folds,
    head,
    query,
    fragment,
    captures: context.captures,
    names: context.names,
  }
}

/** Cuts a template at its first `?`, then its `#`, literal or operator, and hands each zone its parts. */
class Zones {
  readonly #context: CompileContext
  readonly #headCompiler: HeadCompiler
  #head: Head | undefined
  #queryCompiler: QueryCompiler | undefined
  #query: Query = { kind: 'none' }
  #fragment: FragmentCompiler | undefined

  constructor(context: CompileContext, folds: boolean) {
    this.#context = context
    this.#headCompiler = new HeadCompiler(context, folds)
  }

  text(text: string, offset: number): void {
    if (this.#fragment !== undefined) return this.#fragment.text(text, offset)
    const hash = text.indexOf('#')
    const before = hash < 0 ? text : text.slice(0, hash)
    if (this.#queryCompiler === undefined) this.#headText(before, offset)
    else this.#queryCompiler.text(before, offset)
    if (hash < 0) return
    this.#endQuery(offset + hash)
    this.#fragment = new FragmentCompiler(this.#context, undefined)
    this.#fragment.text(text.slice(hash + 1), offset + hash + 1)
  }

  expression(part: ExpressionPart): void {
    if (this.#fragment !== undefined) return this.#fragment.expression(part)
    if (part.operator === '#') {
      this.#endQuery(part.offset)
      this.#fragment = new FragmentCompiler(this.#context, part)
    } else if (this.#queryCompiler !== undefined) {
      this.#queryCompiler.expression(part)
    } else if (part.operator === '?') {
      this.#endHead()
      this.#queryCompiler = new QueryCompiler(this.#context, part)
    } else {
      this.#headCompiler.expression(part)
    }
  }

  finish(end: number): { readonly head: Head; readonly query: Query; readonly fragment: Fragment } {
    if (this.#fragment === undefined) this.#endQuery(end)
    return { head: this.#endHead(), query: this.#query, fragment: this.#fragment?.finish() ?? { kind: 'none' } }
  }

  #headText(text: string, offset: number): void {
    const question = text.indexOf('?')
    const head = question < 0 ? text : text.slice(0, question)
    let from = 0
    for (;;) {
      const slash = head.indexOf('/', from)
      this.#headCompiler.text(head.slice(from, slash < 0 ? head.length : slash), offset + from)
      if (slash < 0) break
      this.#headCompiler.slash()
      from = slash + 1
    }
    if (question < 0) return
    this.#endHead()
    this.#queryCompiler = new QueryCompiler(this.#context, offset + question + 1)
    this.#queryCompiler.text(text.slice(question + 1), offset + question + 1)
  }

  #endHead(): Head {
    this.#head ??= this.#headCompiler.finish()
    return this.#head
  }

  #endQuery(end: number): void {
    this.#endHead()
    if (this.#queryCompiler !== undefined) this.#query = this.#queryCompiler.finish(end)
  }
}
