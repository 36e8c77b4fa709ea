import type { Call, Provider } from '../../library/index.ts'
import { principalKey } from '../../library/index.ts'
import type { Clock, ResourceTemplate } from '../../protocol/index.ts'
import { listedTemplates } from './listed-templates.ts'
import type { Limits } from './options.ts'
import { nameTemplates } from './template-names.ts'
import { templateTool } from './template-tool.ts'
import type { Tool } from './tool.ts'

/** How long tools are kept, in milliseconds: models call what was just listed. */
const KEPT_MS = 60_000
/** Callers whose tools are kept. */
const CALLERS = 32
interface Kept {
  readonly tools: ReadonlyMap<string, Tool>
  readonly until: number
}

/** The tools of templates, as each caller may have them. */
export class TemplateTools {
  readonly #data: Provider
  readonly #wanted: boolean | readonly string[]
  readonly #taken: readonly string[]
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()

  constructor(
    data: Provider,
    wanted: boolean | readonly string[],
    { taken, limits, clock }: { readonly taken: readonly string[]; readonly limits: Limits; readonly clock: Clock },
  ) {
    this.#data = data
    this.#wanted = wanted
    this.#taken = taken
    this.#limits = limits
    this.#clock = clock
  }

  /** @param fresh whether they are asked for anew, as for a list of them */
  async of(call: Call, fresh: boolean): Promise<ReadonlyMap<string, Tool>> {
    if (this.#wanted === false || this.#data.templates === undefined) return new Map()
    const key = principalKey(call.principal)
    const kept = key === undefined ? undefined : this.#kept.get(key)
    if (kept !== undefined && !fresh && kept.until > this.#clock.monotonic()) return kept.tools
    const tools = await this.#make(call)
    if (key === undefined) return tools
    this.#kept.delete(key)
    this.#kept.set(key, { tools, until: this.#clock.monotonic() + KEPT_MS })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > CALLERS && oldest !== undefined) this.#kept.delete(oldest)
    return tools
  }

  async #make(call: Call): Promise<ReadonlyMap<string, Tool>> {
    const named = nameTemplates(await this.#templates(call), this.#taken)
    const made = await Promise.all(
      [...named].map(
        async ([name, template]) => [name, await templateTool(this.#data, name, template, call, this.#limits)] as const,
      ),
    )
    return new Map(made.flatMap(([name, tool]) => (tool === undefined ? [] : [[name, tool] as const])))
  }

  async #templates(call: Call): Promise<readonly ResourceTemplate[]> {
    const wanted = this.#wanted
    const all = await listedTemplates(this.#data, call)
    return all
      .filter(({ uriTemplate }) => wanted === true || (Array.isArray(wanted) && wanted.includes(uriTemplate)))
      .slice(0, this.#limits.templateTools)
  }
}
