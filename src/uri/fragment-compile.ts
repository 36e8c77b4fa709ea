import { compileSegment } from './pattern-compile.ts'
import { templateFault } from './template-fault.ts'
import type { CompileContext } from './compile-context.ts'
import type { Fragment } from './compiled-template.ts'
import type { Item } from './pattern-compile.ts'
import type { ExpressionPart } from './template-parse.ts'

/** Builds the fragment of a template: `{#v}`, or written out as one pattern. */
export class FragmentCompiler {
  readonly #context: CompileContext
  readonly #optional: { readonly capture: number; readonly places: number } | undefined
  readonly #items: Item[] = []

  /** `begin` is the `{#v}`, or undefined after a written `#`. */
  constructor(context: CompileContext, begin: ExpressionPart | undefined) {
    this.#context = context
    this.#optional = begin && { capture: context.capture(begin, { encodedSlash: true }), places: begin.variables.length }
  }

  text(raw: string, offset: number): void {
    if (raw === '') return
    if (this.#optional !== undefined) throw templateFault(this.#context.text, 'fragment-tail', offset)
    this.#items.push({ kind: 'text', text: this.#context.literal(raw, offset) })
  }

  expression(part: ExpressionPart): void {
    const { text } = this.#context
    if (this.#optional !== undefined) throw templateFault(text, 'fragment-tail', part.offset)
    if (part.operator !== '' && part.operator !== '+') throw templateFault(text, 'operator-here', part.offset)
    if (this.#items.at(-1)?.kind === 'capture') throw templateFault(text, 'adjacent', part.offset)
    const capture = this.#context.capture(part, { encodedSlash: true })
    this.#items.push({ kind: 'capture', capture, places: part.variables.length, reserved: false })
  }

  finish(): Fragment {
    if (this.#optional !== undefined) return { kind: 'optional', ...this.#optional }
    return { kind: 'written', text: compileSegment(this.#items, undefined, { folds: false }) }
  }
}
