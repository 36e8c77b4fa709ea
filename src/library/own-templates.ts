import type { ResourceTemplate } from '../protocol/index.ts'
import { createTemplateTable, parseTemplate } from '../uri/index.ts'
import type { Call } from './call.ts'
import { completeFrom } from './completions.ts'
import { runHandler } from './handler-result.ts'
import type { TemplateHandler, TemplateOptions } from './options.ts'
import type { OwnTemplate, Values } from './own-template.ts'
import { faceOf, resourceOf } from './own-template.ts'
import type { CompleteRequest, Completion, Page, PageRequest, ReadRequest, ReadResult, Stat, UriRequest } from './provider.ts'
import { ReadContext } from './read-context.ts'
import { Register } from './register.ts'
import { statByReading } from './stat-by-reading.ts'
import { isUnsafeValue } from './value-screen.ts'

interface Hit {
  readonly own: OwnTemplate
  readonly values: Values
}

/** Templates registered one by one, matched through one table. */
export class OwnTemplates {
  readonly #byText = new Map<string, OwnTemplate>()
  readonly #table = createTemplateTable<OwnTemplate>()
  readonly #order = new Register<OwnTemplate>()
  readonly #enumerable = new Set<OwnTemplate>()

  get size(): number {
    return this.#byText.size
  }

  /** @throws ShelfError `invalid-template`, also for a shape that is taken; the message names the other one */
  add(text: string, options: TemplateOptions, handler: TemplateHandler<string>): void {
    const own: OwnTemplate = { text, parsed: parseTemplate(text), options, handler, seq: 0 }
    const { unknownParameters } = options
    this.#table.add(text, own, unknownParameters === undefined ? {} : { unknownParameters })
    this.#order.add(own)
    if (options.list !== undefined) this.#enumerable.add(own)
    this.#byText.set(text, own)
  }

  remove(text: string): boolean {
    const own = this.#byText.get(text)
    if (own === undefined) return false
    this.#byText.delete(text)
    this.#table.remove(text)
    this.#order.remove(own)
    this.#enumerable.delete(own)
    return true
  }

  /** Those that enumerate known values, each a part of the list. */
  get enumerable(): readonly OwnTemplate[] {
    return [...this.#enumerable]
  }

  templates(request: PageRequest): Page<ResourceTemplate> {
    const page = this.#order.page(request)
    return { ...page, items: page.items.map(faceOf) }
  }

  read(request: ReadRequest, call: Call): Promise<ReadResult> | undefined {
    const hit = this.#match(request.uri)
    return hit && this.#run(hit, request, call)
  }

  /** Whether a template matches. What it stands for may be absent all the same. */
  has(uri: string): boolean {
    return this.#match(uri) !== undefined
  }

  /** What a URI of a template is, as a list would say. Only its handler knows whether it is there: it is asked for nothing of it. */
  stat({ uri }: UriRequest, call: Call): Promise<Stat> | undefined {
    const hit = this.#match(uri)
    return hit && this.#stat(hit, uri, call)
  }

  async #stat(hit: Hit, uri: string, call: Call): Promise<Stat> {
    const resource = resourceOf(hit.own, uri)
    return { ...(await statByReading(resource, (nothing) => this.#run(hit, nothing, call))), resource }
  }

  complete(request: CompleteRequest, call: Call, budgetMs: number): Promise<Completion> | undefined {
    const own = this.#byText.get(request.template) ?? this.#table.match(request.template)?.value
    return own && completeFrom(own, request, call, budgetMs)
  }

  #run({ own, values }: Hit, request: ReadRequest, call: Call): Promise<ReadResult> {
    return runHandler(() => own.handler(values, new ReadContext(request, call)), request, own.options.mimeType, own.options.hint)
  }

  #match(uri: string): Hit | undefined {
    const hit = this.#table.match(uri)
    if (hit === undefined || !isScreened(hit.value.options, hit.variables)) return undefined
    return { own: hit.value, values: hit.variables }
  }
}

function isScreened(options: TemplateOptions, values: Values): boolean {
  const { unscreened } = options
  if (unscreened === true) return true
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value !== undefined && isUnsafeValue(value) && !unscreened?.includes(name)) return false
  }
  return true
}
