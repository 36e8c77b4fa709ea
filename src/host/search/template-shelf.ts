import type { Notice, Provider } from '../../library/index.ts'
import type { ResourceTemplate } from '../../protocol/index.ts'
import type { Asker } from './asker.ts'
import { heldTemplate, serverOf } from './held-resource.ts'
import type { Limits } from './options.ts'
import type { TermHit } from './find.ts'
import { find } from './find.ts'
import type { TermIndex, Texts } from './term-index.ts'
import type { Turns } from './turns.ts'
import { walkList } from './walk-list.ts'

/** A template that was found. */
export interface TemplateHit extends Omit<TermHit, 'id'> {
  readonly template: ResourceTemplate
}

type TemplateField = 'name' | 'title' | 'description' | 'uri'

/** The templates of an index. */
export class TemplateShelf {
  readonly #index: TermIndex<TemplateField>
  readonly #templates = new Map<string, ResourceTemplate>()

  constructor(index: TermIndex<TemplateField>) {
    this.#index = index
  }

  get size(): number {
    return this.#templates.size
  }

  /** Brings them to what is listed now. Throws what the provider throws, and then nothing has changed. */
  async walk(provider: Provider, asker: Asker, limits: Limits, turns: Turns, hear: (notice: Notice) => void): Promise<void> {
    if (provider.templates === undefined) return
    const now = new Map<string, ResourceTemplate>()
    const turn = (): Promise<void> | undefined => (turns.isOver ? turns.next() : undefined)
    const end = await walkList(
      (request) => asker.ask((call) => provider.templates?.(request, call) ?? Promise.resolve({ items: [] })),
      (template) => {
        const held = heldTemplate(template)
        if (held === undefined || now.has(held.uriTemplate)) return false
        if (now.size >= limits.maxTemplates) return 'enough'
        now.set(held.uriTemplate, held)
        return true
      },
      turn,
      hear,
    )
    if (end === 'enough') {
      hear({
        level: 'warning',
        message: `There are more templates than the ${limits.maxTemplates} that are indexed: the rest is left out`,
      })
    }
    for (const [id, template] of this.#templates) {
      await turn()
      if (JSON.stringify(template) === JSON.stringify(now.get(id))) continue
      this.#templates.delete(id)
      this.#index.remove(id, textsOf(template))
    }
    for (const [id, template] of now) {
      await turn()
      if (this.#templates.has(id)) continue
      this.#templates.set(id, template)
      this.#index.add(id, textsOf(template))
    }
  }

  search(query: string, filters: { readonly limit: number; readonly server?: string }): readonly TemplateHit[] {
    const { limit, server } = filters
    const admits = (id: string): boolean => {
      const template = this.#templates.get(id)
      return template !== undefined && (server === undefined || serverOf(template) === server)
    }
    return find([this.#index], query, admits, limit).flatMap(({ id, ...hit }) => {
      const template = this.#templates.get(id)
      return template === undefined ? [] : [{ template, ...hit }]
    })
  }
}

function textsOf({ uriTemplate, name, title = '', description = '' }: ResourceTemplate): Texts<TemplateField> {
  return { name, title, description, uri: uriTemplate }
}
