import type { Call, Provider, Watcher } from '../../library/index.ts'
import { principalKey, unlessAborted, within, withSignal } from '../../library/index.ts'
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
/** How long a watch may take to begin, or to end, in milliseconds. */
const WATCH_MS = 1_000

interface Kept {
  readonly tools: ReadonlyMap<string, Tool>
  readonly until: number
  /** The templates as text, as they were listed or told of, to tell whether others have come. */
  readonly templates: string
  /** Asks as this caller when no request of its own is there. */
  readonly call: Call
}

/** The tools of templates, as each caller may have them. */
export class TemplateTools implements AsyncDisposable {
  readonly #data: Provider
  readonly #wanted: boolean | readonly string[]
  readonly #taken: readonly string[]
  readonly #limits: Limits
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()
  readonly #end = new AbortController()
  readonly #onChange: () => void
  /** Listens from the first list on. */
  #watcher: Promise<Watcher> | undefined
  #comparing: Promise<void> | undefined
  #isDirty = false
  /** Changes that were heard of. */
  #heard = 0

  /** @param onChange told when somebody who has listed tools would find others */
  constructor(
    data: Provider,
    wanted: boolean | readonly string[],
    { taken, limits, clock }: { readonly taken: readonly string[]; readonly limits: Limits; readonly clock: Clock },
    onChange: () => void,
  ) {
    this.#onChange = onChange
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
    if (fresh) await this.#watch()
    const heard = this.#heard
    const templates = await this.#templates(call)
    const tools = await this.#make(templates, call)
    if (key === undefined || this.#end.signal.aborted) return tools
    const until = this.#clock.monotonic() + KEPT_MS
    // Those of a call are nothing that the caller has been told of.
    const listed = fresh ? undefined : this.#kept.get(key)?.templates
    this.#kept.delete(key)
    this.#kept.set(key, {
      tools,
      until,
      templates: listed ?? JSON.stringify(templates),
      call: withSignal(call, this.#end.signal),
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > CALLERS && oldest !== undefined) this.#kept.delete(oldest)
    // What changed while they were made.
    if (this.#heard !== heard) this.#compare()
    return tools
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    this.#kept.clear()
    const ended = this.#watcher?.then(async (watcher) => watcher[Symbol.asyncDispose]())
    if (ended !== undefined) await within(ended, WATCH_MS).catch(() => undefined)
    await this.#comparing
  }

  async #watch(): Promise<void> {
    if (this.#data.watch === undefined || this.#end.signal.aborted) return
    this.#watcher ??= this.#data.watch(({ kind }) => {
      if (kind === 'updated') return
      this.#heard++
      this.#compare()
    })
    // Tools are of use also where nothing can be watched.
    await within(this.#watcher, WATCH_MS).catch(() => undefined)
  }

  /** Looks whether those who have listed tools would find others; changes meanwhile make it look again. */
  #compare(): void {
    this.#isDirty = true
    this.#comparing ??= this.#compareAll().finally(() => {
      this.#comparing = undefined
    })
  }

  async #compareAll(): Promise<void> {
    while (this.#isDirty && !this.#end.signal.aborted) {
      this.#isDirty = false
      let isChanged = false
      for (const [key, kept] of this.#kept) {
        const templates = await this.#templatesOf(kept)
        if (templates === kept.templates || this.#kept.get(key) !== kept) continue
        this.#kept.set(key, { ...kept, templates, until: -Infinity })
        isChanged = true
      }
      if (isChanged && !this.#end.signal.aborted) this.#onChange()
    }
  }

  /** As text; those of before where they cannot be asked for. */
  async #templatesOf({ call, templates }: Kept): Promise<string> {
    try {
      return JSON.stringify(await unlessAborted(this.#templates(call), this.#end.signal))
    } catch {
      return templates
    }
  }

  async #make(templates: readonly ResourceTemplate[], call: Call): Promise<ReadonlyMap<string, Tool>> {
    const named = nameTemplates(templates, this.#taken)
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
