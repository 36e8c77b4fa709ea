import { ShelfError } from '../errors.ts'
import type { Call, Library, ListenFilter, Method, MethodModule, ModuleSignals, Operation, Principal } from '../library/index.ts'
import { heedless } from '../library/index.ts'
import type { Clock, Era, MethodDescriptor, Revision, RevisionFacts, Sealer, UncheckedObject } from '../protocol/index.ts'
import { isInternal, RESOURCE_UPDATED, REVISIONS, shapeImplementation } from '../protocol/index.ts'
import type { Data } from './access.ts'
import { guardedData } from './access.ts'
import { resultEnvelope } from './encode.ts'
import type { ResultEnvelope } from './encode.ts'
import { QUESTION_KEYS } from './extended-read.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { Limits } from './limits.ts'
import { Listeners } from './listeners.ts'
import { completionMethod } from './modules/completion.ts'
import { directoriesModule } from './modules/directories.ts'
import { extensionModule } from './modules/extension.ts'
import { resourcesModule } from './modules/resources.ts'
import { Sealing } from './sealing.ts'

export interface EngineOptions {
  readonly sealer: Sealer
  readonly clock: Clock
  /** Beside resources and directories: tools, prompts, extensions. */
  readonly modules?: readonly MethodModule[]
  readonly limits?: Partial<Limits>
  /** Ranges and versions of reads, and `dev.shelfmark/stat` (docs/extension.md). Default false: none of it is declared or taken. */
  readonly extended?: boolean
  /** Whether a principal may do something to a URI; default: everything. Denied answers like absent. */
  readonly access?: (principal: Principal, operation: Operation, uri: string) => boolean
  /** Told of errors whose message the wire must not carry. Default: nobody. */
  readonly onError?: (error: unknown, about: ErrorContext) => void
}

/** What was being done when an internal error happened. */
export interface ErrorContext {
  readonly method: string
  readonly uri?: string
}

/** What all peers of one server share. */
export class EngineCore {
  readonly library: Library
  /** The Library as callers may see it. */
  readonly data: Data
  readonly limits: Limits
  readonly clock: Clock
  readonly sealing: Sealing
  readonly listeners: Listeners
  readonly envelope: ResultEnvelope
  /** Keys of `_meta` that tell one request from another, as its parameters do. */
  readonly questionKeys: readonly string[]
  readonly #modules: readonly MethodModule[]
  readonly #methods = new Map<string, { readonly method: Method; readonly module: MethodModule | undefined }>()
  readonly #ending = new Set<() => void>()
  readonly #signals: ModuleSignals = { listChanged: (notification) => this.listeners.topicChanged(notification) }
  #closed = false
  readonly #access: EngineOptions['access']
  readonly #onError: EngineOptions['onError']

  constructor(library: Library, options: EngineOptions) {
    this.library = library
    this.data = options.access === undefined ? library : guardedData(library)
    this.clock = options.clock
    this.limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.sealing = new Sealing(options.sealer, options.clock, library.name)
    this.#access = options.access
    this.#onError = options.onError
    this.listeners = new Listeners(
      library,
      this.limits,
      (call: Call, uri) => this.allows(call.principal, 'subscribe', uri),
      (error, uri) => this.report(error, { method: RESOURCE_UPDATED.method, uri }),
    )
    this.envelope = resultEnvelope(library.implementation)
    const extended = options.extended ?? false
    this.questionKeys = extended ? QUESTION_KEYS : []
    this.#modules = [
      resourcesModule(library, this.data, extended),
      directoriesModule(library, this.data),
      ...(extended ? [extensionModule(this.data, this.limits)] : []),
      ...(options.modules ?? []),
    ]
    this.#add(
      completionMethod(() => this.modules, this.limits.maxCompletions),
      undefined,
    )
    for (const module of this.#modules) {
      for (const method of module.methods) this.#add(method, module)
      module.start?.(this.#signals)
    }
  }

  /** Modules that take part now. */
  get modules(): readonly MethodModule[] {
    return this.#modules.filter((module) => module.active?.() ?? true)
  }

  /** What can be listened to now. */
  get filters(): readonly ListenFilter[] {
    return this.modules.flatMap((module) => module.listens ?? [])
  }

  /** The method of this name, if it exists in this era and its module takes part. */
  method(name: string, era: Era): Method | undefined {
    const entry = this.#methods.get(name)
    if (entry === undefined || !entry.method.descriptor.eras.includes(era)) return undefined
    return entry.module?.active?.() === false ? undefined : entry.method
  }

  descriptor(name: string): MethodDescriptor | undefined {
    return this.#methods.get(name)?.method.descriptor
  }

  capabilities(revision: Revision): UncheckedObject {
    const facts: RevisionFacts = REVISIONS[revision]
    const modules = this.modules
    const extensions = Object.assign({}, ...modules.map((module) => module.extensions?.() ?? {})) as UncheckedObject
    return Object.assign(
      {},
      ...modules.map((module) => module.capabilities?.() ?? {}),
      facts.completionsCapability ? { completions: {} } : {},
      this.sendsLogs ? { logging: {} } : {},
      Object.keys(extensions).length > 0 ? { extensions } : {},
    ) as UncheckedObject
  }

  serverInfo(revision: Revision): object {
    return shapeImplementation(this.library.implementation, revision)
  }

  get sendsLogs(): boolean {
    return this.modules.some((module) => module.logs)
  }

  allows(principal: Principal, operation: Operation, uri: string): boolean {
    return this.#access === undefined || this.#access(principal, operation, uri)
  }

  /** Settles when the server closes, or what is added to `ends` is called; rejects when the signal fires first. */
  untilClosed(signal: AbortSignal, ends: Set<() => void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        this.#ending.delete(end)
        ends.delete(end)
      }
      const end = (): void => {
        forget()
        signal.removeEventListener('abort', give)
        resolve()
      }
      const give = (): void => {
        forget()
        reject(new ShelfError('cancelled', 'The client closed the stream', {}))
      }
      if (this.#closed) return resolve()
      if (signal.aborted) return give()
      this.#ending.add(end)
      ends.add(end)
      signal.addEventListener('abort', give, { once: true })
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const end of this.#ending) end()
    // One turn of the event loop lets the streams send their results before their listeners go.
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
    await this.listeners.close()
    await Promise.all(this.#modules.map(async (module) => module.stop?.(this.#signals)))
  }

  report(error: unknown, about: ErrorContext): void {
    const onError = this.#onError
    if (onError !== undefined && isInternal(ShelfError.from(error))) heedless(() => onError(error, about))
  }

  #add(method: Method, module: MethodModule | undefined): void {
    const { method: name } = method.descriptor
    const twin = this.#methods.get(name)
    if (twin !== undefined) {
      throw new ShelfError('duplicate', `Two modules answer ${name}`, {
        first: twin.module?.name ?? 'the engine',
        second: module?.name ?? 'the engine',
      })
    }
    this.#methods.set(name, { method, module })
  }
}
