import { templateFault } from './template-fault.ts'
import { isLetter, tripletAt } from './uri-characters.ts'
import type { TemplateFault } from '../errors.ts'

/** The operators of RFC 6570; the empty one is simple expansion. */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'

export interface VariableSpec {
  /** As written, triplets included. */
  readonly name: string
  /** True after `*`. */
  readonly explode: boolean
  /** The length after `:`, in code points; 0 without one. */
  readonly prefix: number
  /** Where the name begins, in UTF-16 code units. */
  readonly offset: number
}

export interface LiteralPart {
  readonly kind: 'literal'
  readonly text: string
  readonly offset: number
}

export interface ExpressionPart {
  readonly kind: 'expression'
  readonly operator: Operator
  readonly variables: readonly VariableSpec[]
  /** Where its `{` stands. */
  readonly offset: number
}

export type TemplatePart = LiteralPart | ExpressionPart

/** A parsed URI template: can be expanded; whether it can be matched is decided at registration. */
export interface Template<T extends string = string> {
  readonly text: T
  readonly parts: readonly TemplatePart[]
}

const MAX_PARSED_LENGTH = 65_536
const OPERATORS = '+#./;?&'
/** RFC 6570 reserves `= , ! @ |`; `$` and `*` are what authors of other syntaxes write first. */
const NO_OPERATORS = '=,!@|$*'

/**
 * A URI template by the grammar of RFC 6570, all four levels, in one pass (docs/templates.md section 1).
 * Literal characters that a URI may not hold are accepted and encoded on expansion.
 * Throws `invalid-template` with reason and offset.
 */
export function parseTemplate<const T extends string>(text: T): Template<T> {
  // For callers without types: a number has no length to read, and would be a template of nothing.
  if (typeof text !== 'string') throw templateFault(String(text), 'no-scheme', 0)
  return { text, parts: new TemplateReader(text).read() }
}

class TemplateReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): readonly TemplatePart[] {
    const text = this.#text
    if (text.length > MAX_PARSED_LENGTH) throw this.#fault('length', MAX_PARSED_LENGTH)
    const parts: TemplatePart[] = []
    let from = 0
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at)
      if (code === 0x7b) {
        if (from < this.#at) parts.push({ kind: 'literal', text: text.slice(from, this.#at), offset: from })
        parts.push(this.#expression())
        from = this.#at
      } else {
        this.#literal(code)
      }
    }
    if (from < text.length) parts.push({ kind: 'literal', text: text.slice(from), offset: from })
    return parts
  }

  #fault(reason: TemplateFault, offset: number): Error {
    return templateFault(this.#text, reason, offset)
  }

  #literal(code: number): void {
    const at = this.#at
    if (code === 0x7d) throw this.#fault('stray-brace', at)
    if (code < 0x20 || code === 0x7f) throw this.#fault('character', at)
    if (code === 0x25 && tripletAt(this.#text, at) < 0) throw this.#fault('percent', at)
    if (code >= 0xd800 && code <= 0xdfff) {
      if ((this.#text.codePointAt(at) as number) < 0x10000) throw this.#fault('character', at)
      this.#at++
    }
    this.#at++
  }

  #expression(): ExpressionPart {
    const text = this.#text
    const brace = this.#at++
    const first = text.charAt(this.#at)
    let operator: Operator = ''
    if (first !== '' && OPERATORS.includes(first)) {
      operator = first as Operator
      this.#at++
    } else if (first !== '' && NO_OPERATORS.includes(first)) {
      throw this.#fault('operator', this.#at)
    }
    if (text.charAt(this.#at) === '}') throw this.#fault('empty', brace)
    const variables: VariableSpec[] = []
    for (;;) {
      variables.push(this.#variable(brace))
      const next = text.charAt(this.#at++)
      if (next === '}') return { kind: 'expression', operator, variables, offset: brace }
    }
  }

  /** One name with its modifier; stops before the comma or closing brace that follows. */
  #variable(brace: number): VariableSpec {
    const text = this.#text
    const offset = this.#at
    const first = text.charAt(offset)
    if (first === ',' || first === '}') throw this.#fault('empty', offset)
    this.#name(brace)
    const name = text.slice(offset, this.#at)
    if (name === '__proto__') throw this.#fault('name', offset)
    let explode = false
    let prefix = 0
    const modifier = text.charAt(this.#at)
    if (modifier === '*') {
      explode = true
      this.#at++
    } else if (modifier === ':') {
      prefix = this.#prefix(brace)
    }
    const next = text.charAt(this.#at)
    if (next === '') throw this.#fault('unclosed', brace)
    if (next !== ',' && next !== '}') {
      if (next === '{') throw this.#fault('stray-brace', this.#at)
      throw this.#fault(explode || prefix > 0 ? 'modifier' : 'name', this.#at)
    }
    return { name, explode, prefix, offset }
  }

  /** `varchar *( ["."] varchar )`; stops at the first character that is no part of it. */
  #name(brace: number): void {
    const text = this.#text
    let wanted = true
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f) {
        this.#at++
        wanted = false
      } else if (code === 0x25) {
        if (tripletAt(text, this.#at) < 0) throw this.#fault('percent', this.#at)
        this.#at += 3
        wanted = false
      } else if (code === 0x2e && !wanted) {
        this.#at++
        wanted = true
      } else {
        if (!wanted) return
        if (Number.isNaN(code)) throw this.#fault('unclosed', brace)
        throw this.#fault(code === 0x7b ? 'stray-brace' : 'name', this.#at)
      }
    }
  }

  #prefix(brace: number): number {
    const text = this.#text
    const colon = this.#at++
    let length = 0
    const first = this.#at
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (!(code >= 0x30 && code <= 0x39)) break
      length = Math.min(length * 10 + code - 0x30, 10_000)
      this.#at++
    }
    const next = text.charAt(this.#at)
    if (next === '') throw this.#fault('unclosed', brace)
    if (next === '{') throw this.#fault('stray-brace', this.#at)
    const closed = next === ',' || next === '}' || next === '*' || next === ':'
    if (!closed || length < 1 || length > 9999 || text.charAt(first) === '0') throw this.#fault('modifier', colon)
    return length
  }
}
