import { acceptedNames } from './template-order.ts'
import { foldsHost } from './normal-form.ts'
import { HeadNode } from './template-trie.ts'
import { headShape } from './template-shape.ts'
import { matchAgainst } from './segment-match.ts'
import { asTemplate, compiledForm } from './template-match.ts'
import { prepared } from './prepared-uri.ts'
import { templateFault } from './template-fault.ts'
import type { CompiledTemplate, StaticTemplate } from './compiled-template.ts'
import type { Entry, Found, TemplateBucket } from './template-bucket.ts'
import type { MatchOptions } from './template-match.ts'
import type { Template } from './template-parse.ts'

/** What a table found for a URI. */
export interface TemplateMatch<T> {
  /** What was added with the template. */
  readonly value: T
  /** As `matchTemplate` gives them; empty for a static URI. */
  readonly variables: Readonly<Record<string, string | readonly string[]>>
  /** The text of the template, as it was added. */
  readonly template: string
}

/**
 * Templates and static URIs, each with a value; the most specific match wins whatever the order of registration
 * (docs/templates.md section 8). Iterates in the order of registration.
 */
export interface TemplateTable<T> extends Iterable<readonly [template: string, value: T]> {
  /**
   * Adds a template, or a static URI where it has no expression.
   * Throws `invalid-template` where it may not be registered, or, naming the other one, conflicts with what is here.
   */
  add(template: string | Template, value: T, options?: MatchOptions): void
  /** The first match in the order of the table; undefined where nothing matches. Never throws. */
  match(uri: string): TemplateMatch<T> | undefined
  /** Removes what was added under this text; false where nothing was. */
  remove(template: string): boolean
  readonly size: number
}

/** An empty table. Adding, removing and matching cost the length of the template or URI, not the number of templates. */
export function createTemplateTable<T>(): TemplateTable<T> {
  return new Table<T>()
}

interface StaticEntry<T> {
  readonly compiled: StaticTemplate
  readonly value: T
}

/** What is registered under one scheme. */
class SchemeTable<T> {
  readonly folds: boolean
  readonly statics = new Map<string, StaticEntry<T>>()
  /** Templates whose authority compares without case: all begin with `//`, so all come before the others. */
  readonly folded = new HeadNode<T>()
  readonly plain = new HeadNode<T>()

  constructor(scheme: string) {
    this.folds = foldsHost(scheme)
  }

  get isEmpty(): boolean {
    return this.statics.size === 0 && this.folded.isEmpty && this.plain.isEmpty
  }

  root(compiled: CompiledTemplate): HeadNode<T> {
    return compiled.folds ? this.folded : this.plain
  }

  match(): Found<T> | undefined {
    if (this.folds && !this.folded.isEmpty) {
      matchAgainst(prepared.folded())
      const found = this.folded.match(0)
      if (found !== undefined) return found
    }
    matchAgainst(prepared.text)
    return this.plain.match(0)
  }
}

class Table<T> implements TemplateTable<T> {
  readonly #schemes = new Map<string, SchemeTable<T>>()
  readonly #entries = new Map<string, Entry<T> | StaticEntry<T>>()

  get size(): number {
    return this.#entries.size
  }

  *[Symbol.iterator](): Iterator<readonly [template: string, value: T]> {
    for (const [template, { value }] of this.#entries) yield [template, value]
  }

  add(template: string | Template, value: T, options?: MatchOptions): void {
    const compiled = compiledForm(asTemplate(template))
    if (compiled.kind === 'static') return this.#addStatic(compiled, value)
    const { text } = compiled
    const table = this.#schemes.get(compiled.scheme) ?? new SchemeTable<T>(compiled.scheme)
    const entry: Entry<T> = { compiled, value, ignoreUnknown: options?.unknownParameters === 'ignore' }
    const root = table.root(compiled)
    const bucket = root.bucket(compiled.head)
    const same = bucket.duplicateOf(entry)
    if (same !== undefined) throw templateFault(text, 'duplicate', 0, same.compiled.text)
    const overlap = overlapping(bucket, entry)
    if (overlap !== undefined) throw templateFault(text, 'overlap', 0, overlap.compiled.text)
    const crowd = bucket.crowdedBy(compiled)
    if (crowd !== undefined) throw templateFault(text, 'crowd', 0, crowd.compiled.text)
    bucket.add(entry)
    this.#schemes.set(compiled.scheme, table)
    this.#entries.set(text, entry)
  }

  match(uri: string): TemplateMatch<T> | undefined {
    if (!prepared.prepare(uri)) return undefined
    const table = this.#schemes.get(prepared.text.slice(0, prepared.colon))
    if (table === undefined) return undefined
    if (table.statics.size > 0) {
      const fixed = table.statics.get(table.folds ? prepared.folded() : prepared.text)
      if (fixed !== undefined) return { value: fixed.value, variables: {}, template: fixed.compiled.text }
    }
    const found = table.match()
    if (found === undefined) return undefined
    return { value: found.entry.value, variables: found.variables, template: found.entry.compiled.text }
  }

  remove(template: string): boolean {
    const entry = this.#entries.get(template)
    if (entry === undefined) return false
    this.#entries.delete(template)
    const { scheme } = entry.compiled
    const table = this.#schemes.get(scheme)
    if (table === undefined) return true
    if (entry.compiled.kind === 'static') table.statics.delete(entry.compiled.uri)
    else this.#removeTemplate(table, entry as Entry<T>)
    if (table.isEmpty) this.#schemes.delete(scheme)
    return true
  }

  #addStatic(compiled: StaticTemplate, value: T): void {
    const { text } = compiled
    const table = this.#schemes.get(compiled.scheme) ?? new SchemeTable<T>(compiled.scheme)
    const same = table.statics.get(compiled.uri)
    if (same !== undefined) throw templateFault(text, 'duplicate', 0, same.compiled.text)
    const entry: StaticEntry<T> = { compiled, value }
    table.statics.set(compiled.uri, entry)
    this.#schemes.set(compiled.scheme, table)
    this.#entries.set(text, entry)
  }

  #removeTemplate(table: SchemeTable<T>, entry: Entry<T>): void {
    const { compiled } = entry
    const root = table.root(compiled)
    root.bucket(compiled.head).remove(entry)
    root.prune(compiled.head)
  }
}

/** Nothing is required: the template accepts its head without query and fragment. */
function acceptsBareHead({ query, fragment }: CompiledTemplate): boolean {
  return fragment.kind !== 'written' && (query.kind === 'none' || (query.kind === 'set' && !query.written))
}

/** A template with the same head where both accept it alone, and neither names all that the other names. */
function overlapping<T>(bucket: TemplateBucket<T>, entry: Entry<T>): Entry<T> | undefined {
  if (!acceptsBareHead(entry.compiled)) return undefined
  const shape = headShape(entry.compiled.head)
  const names = acceptedNames(entry.compiled)
  return bucket.open.find((other) => {
    if (!acceptsBareHead(other.compiled) || headShape(other.compiled.head) !== shape) return false
    if (other.ignoreUnknown !== entry.ignoreUnknown) return false
    const others = acceptedNames(other.compiled)
    return !others.every((name) => names.includes(name)) && !names.every((name) => others.includes(name))
  })
}
