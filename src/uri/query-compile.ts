import { addParameters, parameterSet } from './compile-context.ts'
import { compileReserved, compileSegment } from './pattern-compile.ts'
import { templateFault } from './template-fault.ts'
import type { TemplateFault } from '../errors.ts'
import type { CompileContext } from './compile-context.ts'
import type { Parameter, Query, Segment } from './compiled-template.ts'
import type { Item } from './pattern-compile.ts'
import type { ExpressionPart } from './template-parse.ts'

/** One piece between `&` of a written-out query, or the parameters of a continuation. */
interface Piece {
  readonly items: Item[]
  /** Of its first literal run. */
  offset: number
  /** Where its `{+v}` stands, or -1. */
  reserved: number
  readonly continuation: Parameter[] | undefined
}

/** Builds the query of a template: `{?a,b}`, or written out and continued by `{&c}`. */
export class QueryCompiler {
  readonly #context: CompileContext
  readonly #written: boolean
  readonly #optional: Parameter[] = []
  readonly #pieces: Piece[] = []
  /** Where the first `{&` stands, or -1. */
  #continued = -1

  /** `begin` is the `{?a}` that opens the query, or the offset behind a written `?`. */
  constructor(context: CompileContext, begin: ExpressionPart | number) {
    this.#context = context
    this.#written = typeof begin === 'number'
    if (typeof begin === 'number') this.#open(begin)
    else addParameters(context, this.#optional, begin.variables)
  }

  text(raw: string, offset: number): void {
    if (raw === '') return
    if (!this.#written) {
      if (raw.startsWith('&')) throw this.#refuse('query-join', offset)
      throw this.#refuse(raw.startsWith('?') ? 'second-query' : 'query-tail', offset)
    }
    let from = 0
    for (;;) {
      const and = raw.indexOf('&', from)
      const piece = raw.slice(from, and < 0 ? raw.length : and)
      if (piece !== '') this.#pieceText(piece, offset + from, offset)
      if (and < 0) return
      const last = this.#last()
      if (last.continuation === undefined && last.items.length === 0) throw this.#refuse('query-tail', offset + and)
      if (last.reserved >= 0) throw this.#refuse('query-order', last.reserved)
      this.#open(offset + and + 1)
      from = and + 1
    }
  }

  expression(part: ExpressionPart): void {
    switch (part.operator) {
      case '?':
        throw this.#refuse('second-query', part.offset)
      case '/':
      case '.':
      case ';':
        throw this.#refuse('operator-here', part.offset)
      case '&':
        return this.#continue(part)
      default:
        return this.#capture(part)
    }
  }

  /** `end` is the offset behind the query. */
  finish(end: number): Query {
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.continuation === undefined && last.items.length === 0) throw this.#refuse('query-tail', end)
    if (!this.#written) return { kind: 'set', set: parameterSet(this.#optional), written: false }
    const positional = this.#isPositional()
    if (positional && this.#continued >= 0) throw this.#refuse('query-order', this.#continued)
    return positional ? this.#positional() : this.#set()
  }

  #refuse(reason: TemplateFault, offset: number): Error {
    return templateFault(this.#context.text, reason, offset)
  }

  #open(offset: number): void {
    this.#pieces.push({ items: [], offset, reserved: -1, continuation: undefined })
  }

  #last(): Piece {
    return this.#pieces.at(-1) as Piece
  }

  #pieceText(text: string, offset: number, run: number): void {
    const piece = this.#last()
    if (piece.continuation !== undefined) throw this.#refuse('query-tail', offset)
    if (piece.items.length === 0) piece.offset = run
    piece.items.push({ kind: 'text', text: this.#context.literal(text, offset) })
  }

  #capture(part: ExpressionPart): void {
    const piece = this.#pieces.at(-1)
    if (piece === undefined || piece.continuation !== undefined) throw this.#refuse('query-tail', part.offset)
    const reserved = part.operator === '+'
    if (reserved && piece.reserved >= 0) throw this.#refuse('two-elastic', part.offset)
    if (piece.items.at(-1)?.kind === 'capture') throw this.#refuse('adjacent', part.offset)
    if (reserved) piece.reserved = part.offset
    const capture = this.#context.capture(part, { encodedSlash: true })
    piece.items.push({ kind: 'capture', capture, places: part.variables.length, reserved })
  }

  #continue(part: ExpressionPart): void {
    const piece = this.#pieces.at(-1)
    if (piece === undefined) throw this.#refuse('query-join', part.offset)
    if (piece.continuation === undefined && piece.items.length === 0) throw this.#refuse('query-tail', part.offset)
    if (this.#isPositional()) throw this.#refuse('query-order', part.offset)
    if (this.#continued < 0) this.#continued = part.offset
    // Names are compared in the order of the template, so the pairs before come first.
    const known = this.#parameters()
    const count = known.length
    addParameters(this.#context, known, part.variables)
    this.#pieces.push({ items: [], offset: part.offset, reserved: -1, continuation: known.slice(count) })
  }

  #isPositional(): boolean {
    return this.#pieces.some(
      (piece) => piece.reserved >= 0 || (piece.items.some((item) => item.kind === 'capture') && nameLength(piece.items) < 0),
    )
  }

  #set(): Query {
    return { kind: 'set', set: parameterSet(this.#parameters()), written: true }
  }

  #parameters(): Parameter[] {
    const parameters: Parameter[] = []
    for (const piece of this.#pieces) {
      if (piece.continuation !== undefined) {
        parameters.push(...piece.continuation)
        continue
      }
      const { name, value } = this.#pair(piece)
      if (parameters.some((parameter) => parameter.name === name)) throw this.#refuse('repeated', piece.offset)
      parameters.push({ name, required: true, value, use: undefined })
    }
    return parameters
  }

  #pair(piece: Piece): { readonly name: string; readonly value: Segment } {
    const first = piece.items[0]
    const text = first?.kind === 'text' ? first.text : ''
    const length = nameLength(piece.items)
    if (length < 0) return { name: text, value: '' }
    return { name: text.slice(0, length), value: this.#value(valueItems(piece.items, length)) }
  }

  #value(items: readonly Item[]): Segment {
    return items.length === 0 ? '' : compileSegment(items, undefined, { folds: false, minimum: this.#leastOf(items) })
  }

  /** One string and nothing else: its parameter prints a name, so empty is a value. */
  #leastOf(items: readonly Item[]): 0 | 1 {
    const first = items[0]
    const alone = items.length === 1 && first?.kind === 'capture' && this.#context.captures[first.capture]?.kind === 'text'
    return alone ? 0 : 1
  }

  #positional(): Query {
    const pieces: Segment[] = []
    for (const { items, reserved } of this.#pieces) {
      if (reserved >= 0) return { kind: 'positional', pieces, rest: compileReserved(items, undefined, false) }
      const length = nameLength(items)
      pieces.push(
        compileSegment(items, undefined, { folds: false, minimum: length >= 0 ? this.#leastOf(valueItems(items, length)) : 1 }),
      )
    }
    return { kind: 'positional', pieces, rest: undefined }
  }
}

/** How long the literal name before `=` is, or -1 without one. */
function nameLength(items: readonly Item[]): number {
  const first = items[0]
  return first?.kind === 'text' ? first.text.indexOf('=') : -1
}

function valueItems(items: readonly Item[], name: number): readonly Item[] {
  const first = items[0]
  const text = first?.kind === 'text' ? first.text.slice(name + 1) : ''
  return text === '' ? items.slice(1) : [{ kind: 'text', text }, ...items.slice(1)]
}
