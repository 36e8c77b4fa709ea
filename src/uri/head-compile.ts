import { templateFault } from './template-fault.ts'
import { compileReserved, compileSegment } from './pattern-compile.ts'
import type { TemplateFault } from '../errors.ts'
import type { CompileContext } from './compile-context.ts'
import type { Elastic, Head, Segment } from './compiled-template.ts'
import type { Item } from './pattern-compile.ts'
import type { ExpressionPart, VariableSpec } from './template-parse.ts'

const MAX_ELASTICS = 4

/** Builds the row of segments of a template's head, and refuses what section 4 of docs/templates.md refuses there. */
export class HeadCompiler {
  readonly #context: CompileContext
  readonly #folds: boolean
  readonly #rows: Segment[][] = [[]]
  readonly #elastics: Elastic[] = []
  /** False once something stands behind the last `{+v}` in its segment. */
  #lastIsWhole = true
  #items: Item[] = []
  #semicolon = false
  #matrix: { readonly specs: VariableSpec[]; readonly capture: number } | undefined
  /** The open group `{/a}`; while there is one, no segment is open. */
  #group: VariableSpec[] | undefined
  #groupCapture = -1

  constructor(context: CompileContext, folds: boolean) {
    this.#context = context
    this.#folds = folds
  }

  text(raw: string, offset: number): void {
    if (raw === '') return
    this.#openSegment(offset)
    if (raw.includes(';')) this.#semicolon = true
    this.#items.push({ kind: 'text', text: this.#context.literal(raw, offset) })
  }

  slash(): void {
    if (this.#group !== undefined) this.#closeGroup()
    else this.#closeSegment()
  }

  expression(part: ExpressionPart): void {
    switch (part.operator) {
      case '':
        return this.#capture(part, false)
      case '+':
        return this.#capture(part, true)
      case '/':
        return this.#path(part)
      case '.':
        return this.#labels(part)
      case ';':
        return this.#matrixParameters(part)
      default:
        throw this.#refuse('no-query', part.offset)
    }
  }

  finish(): Head {
    if (this.#group !== undefined) this.#closeGroup()
    else this.#closeSegment()
    const rows = this.#rows
    if (rows.length === 1) return { left: rows[0] as Segment[], elastics: [], blocks: [], right: [] }
    return {
      left: rows[0] as Segment[],
      elastics: this.#elastics,
      blocks: rows.slice(1, -1),
      right: rows.at(-1) as Segment[],
    }
  }

  #refuse(reason: TemplateFault, offset: number): Error {
    return templateFault(this.#context.text, reason, offset)
  }

  #openSegment(offset: number): void {
    if (this.#group !== undefined) throw this.#refuse('slash-tail', offset)
    if (this.#matrix !== undefined) throw this.#refuse('matrix-tail', offset)
  }

  #capture(part: ExpressionPart, reserved: boolean): void {
    this.#openSegment(part.offset)
    if (reserved && this.#items.some((item) => item.kind === 'capture' && item.reserved)) {
      throw this.#refuse('two-elastic', part.offset)
    }
    const previous = this.#items.at(-1)
    if (previous !== undefined && previous.kind !== 'text') throw this.#refuse('adjacent', part.offset)
    if (reserved) {
      this.#checkElastic(part.offset)
      if (this.#elastics.length > 0 && previous !== undefined) throw this.#refuse('two-elastic', part.offset)
    }
    const capture = this.#context.capture(part, { encodedSlash: !reserved })
    this.#items.push({ kind: 'capture', capture, places: part.variables.length, reserved })
  }

  /** Between two elastic parts stand whole segments, one of them literal text. */
  #checkElastic(offset: number): void {
    if (this.#elastics.length === 0) return
    const between = this.#rows.at(-1) as Segment[]
    const anchored = between.some((segment) => typeof segment === 'string')
    if (!this.#lastIsWhole || !anchored || this.#elastics.length >= MAX_ELASTICS) throw this.#refuse('two-elastic', offset)
  }

  #path(part: ExpressionPart): void {
    this.#context.listLast(part)
    if (this.#group !== undefined) {
      if (this.#group.at(-1)?.explode === true) throw this.#refuse('two-elastic', part.offset)
      this.#group.push(...part.variables)
      return
    }
    if (this.#items.some((item) => item.kind === 'capture' && item.reserved)) throw this.#refuse('two-elastic', part.offset)
    this.#closeSegment()
    this.#checkElastic(part.offset)
    this.#group = [...part.variables]
    this.#groupCapture = this.#context.reserveCapture()
  }

  #labels(part: ExpressionPart): void {
    this.#openSegment(part.offset)
    this.#context.listLast(part)
    const run = this.#items.find((item) => item.kind === 'labels')
    const previous = this.#items.at(-1)
    if (run !== undefined && run !== previous) throw this.#refuse('label-run', part.offset)
    const list = part.variables.find((variable) => variable.explode)
    const earlier = previous?.kind === 'labels' ? previous.captures : []
    if (earlier.length + part.variables.length > 1) {
      const among = list ?? this.#context.listLabel(earlier)
      if (among !== undefined) throw this.#refuse('label-run', among.offset)
    } else if (list !== undefined && previous?.kind === 'capture') {
      throw this.#refuse('label-run', part.offset)
    }
    const captures = part.variables.map((variable) => this.#context.label(variable))
    if (earlier.length > 0) this.#items.pop()
    this.#items.push({ kind: 'labels', captures: [...earlier, ...captures] })
  }

  #matrixParameters(part: ExpressionPart): void {
    if (this.#group !== undefined) throw this.#refuse('slash-tail', part.offset)
    if (this.#semicolon) throw this.#refuse('matrix-tail', part.offset)
    this.#matrix ??= { specs: [], capture: this.#context.reserveCapture() }
    this.#matrix.specs.push(...part.variables)
  }

  #closeSegment(): void {
    const row = this.#rows.at(-1) as Segment[]
    const authority = this.#rows.length === 1 && row.length === 2 && row[0] === '' && row[1] === ''
    const folds = this.#folds && authority
    const matrix = this.#matrix && { capture: this.#matrix.capture, places: this.#matrix.specs.length }
    if (this.#matrix !== undefined) this.#context.matrix(this.#matrix.capture, this.#matrix.specs)
    if (this.#items.some((item) => item.kind === 'capture' && item.reserved)) {
      const elastic = compileReserved(this.#items, matrix, folds)
      this.#lastIsWhole = elastic.after === undefined && matrix === undefined
      this.#elastics.push(elastic)
      this.#rows.push([])
    } else {
      row.push(compileSegment(this.#items, matrix, { folds }))
    }
    this.#items = []
    this.#semicolon = false
    this.#matrix = undefined
  }

  #closeGroup(): void {
    const specs = this.#group ?? []
    this.#context.segments(this.#groupCapture, specs)
    const list = specs.at(-1)?.explode === true
    this.#elastics.push({ kind: 'group', capture: this.#groupCapture, places: list ? Infinity : specs.length })
    this.#lastIsWhole = true
    this.#rows.push([])
    this.#group = undefined
  }
}
