import { notFound, ShelfError } from '../errors.ts'
import type { CacheHint, Implementation, Resource, ResourceTemplate } from '../protocol/index.ts'
import { UNCACHED } from '../protocol/index.ts'
import type { Call } from './call.ts'
import type { Policy } from './define-policy.ts'
import type { LibraryWatcher, WatchInterest } from './change-feed.ts'
import { systemClock } from './clock.ts'
import { LibraryCore } from './library-core.ts'
import { mountOf, requireName } from './mounts.ts'
import type {
  LibraryOptions,
  MountOptions,
  ResourceHandler,
  ResourceOptions,
  TemplateHandler,
  TemplateOptions,
} from './options.ts'
import type {
  Change,
  ChildrenRequest,
  CompleteRequest,
  Completion,
  Page,
  PageRequest,
  Provider,
  ReadRequest,
  ReadResult,
  Stat,
  UriRequest,
} from './provider.ts'
import { privately, strictest } from './resource-face.ts'

/** A Provider made of Providers, own resources, own templates and policies. */
export interface Library extends Provider {
  /** What the server says of itself. */
  readonly implementation: Implementation
  readonly instructions?: string
  readonly listHint: CacheHint
  /** Whether changes of this URI can be told; a subscription to any other would be a promise never kept. */
  tells(uri: string): boolean
  /** What an author may want to know before clients come, such as that nothing will be listed. */
  readonly advice: readonly string[]
  /** Nothing registered and nothing mounted. */
  readonly isEmpty: boolean
  /** Whether anything here has directories, and so whether they are declared. */
  readonly hasDirectories: boolean
  /** Whether changes of single resources can be told: own ones can, and those of mounts that watch. */
  readonly watches: boolean

  /**
   * Adds a Provider and takes ownership: the Library starts and disposes it.
   *
   * @throws ShelfError `duplicate` for a name or prefix that is mounted, naming both; `invalid-option` for a bad name
   */
  mount(provider: Provider, options?: MountOptions): this
  /** Takes a mount out again and disposes it. False if there is none of this name. */
  unmount(name: string): Promise<boolean>
  /**
   * Adds one resource.
   *
   * @throws ShelfError `duplicate` naming both places, `invalid-uri`, `invalid-template` for a URI with braces
   */
  resource(uri: string, handler: ResourceHandler): this
  resource(uri: string, options: ResourceOptions, handler: ResourceHandler): this
  /**
   * Adds a family of resources with an RFC 6570 template; the handler gets its variables, decoded and typed.
   *
   * @throws ShelfError `invalid-template` with reason and offset, also when the shape is taken
   */
  template<const T extends string>(template: T, handler: TemplateHandler<T>): this
  template<const T extends string>(template: T, options: TemplateOptions<T>, handler: TemplateHandler<T>): this
  /** Takes out an own resource by its URI, or an own template by its text. False if there is none. */
  remove(uriOrTemplate: string): boolean
  /** Puts a policy round everything. The first one used is the outermost. */
  use(policy: Policy): this
  /**
   * Puts these policies round everything in place of all that are used, the first outermost. Updates are delivered by them
   * from now on; requests that are under way end with those that they began with.
   */
  replacePolicies(policies: readonly Policy[]): this
  /** Tells listeners that a resource has changed. */
  updated(uri: string, version?: string): void
  /** Tells listeners that the set of resources has changed, for sets that the Library cannot see change. */
  listChanged(): void
  /** Whether a change may be told to this caller; asked at delivery. */
  delivers(change: Change, call: Call): boolean
  start(): Promise<void>
  templates(request: PageRequest, call: Call): Promise<Page<ResourceTemplate>>
  stat(request: UriRequest, call: Call): Promise<Stat>
  children(request: ChildrenRequest, call: Call): Promise<Page<Resource>>
  complete(request: CompleteRequest, call: Call): Promise<Completion>
  /**
   * Tells of changes, gathered (see `LibraryOptions.changeWindowMs`). With interest in `all`, the default, of everything
   * that is noticed; with `asked` only of what is then added, so that nothing else is watched.
   */
  watch(onChange: (change: Change) => void, interest?: WatchInterest): Promise<LibraryWatcher>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Makes a Library.
 *
 * @throws ShelfError `invalid-option` for a name that does not match `[a-z][a-z0-9.-]*`
 */
export function createLibrary(options: LibraryOptions): Library {
  return new OpenLibrary(options)
}

class OpenLibrary implements Library {
  readonly name: string
  readonly prefixes = 'any'
  readonly implementation: Implementation
  readonly instructions?: string
  readonly #options: LibraryOptions
  readonly #core: LibraryCore
  #policies: readonly Policy[] = []
  /** The core inside its policies. */
  #chain: Provider

  constructor(options: LibraryOptions) {
    requireName(options.name, 'createLibrary: "name"', 'name')
    const { name, version, title, description, websiteUrl, icons, instructions } = options
    this.name = name
    this.#options = options
    this.implementation = {
      name,
      version: version ?? '0.0.0',
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    }
    if (instructions !== undefined) this.instructions = instructions
    const windowMs = options.changeWindowMs ?? 100
    this.#core = new LibraryCore(
      name,
      { strict: options.strict ?? false, budgetMs: options.listBudgetMs ?? 10_000 },
      { clock: options.clock ?? systemClock, windowMs, maxWaitMs: 10 * windowMs },
      (change) => {
        for (const policy of this.#policies) policy.hears(change)
      },
    )
    this.#chain = this.#core
  }

  get listHint(): CacheHint {
    const own = this.#core.hasOwn ? [this.#options.listHint ?? UNCACHED] : []
    const hints = [...own, ...this.#core.mounts.all.map((mount) => mount.provider.listHint ?? UNCACHED)]
    const hint = hints.length === 0 ? (this.#options.listHint ?? UNCACHED) : hints.reduce(strictest)
    return this.#policies.some(({ personal }) => personal) ? privately(hint) : hint
  }

  tells(uri: string): boolean {
    return this.#core.tells(uri)
  }

  get advice(): readonly string[] {
    const { resources, ownTemplates, mounts } = this.#core
    if (ownTemplates.size === 0 || ownTemplates.enumerable.length > 0 || resources.size > 0 || mounts.all.length > 0) return []
    return [
      'only templates are registered, so resources/list is empty; give known values with .template(text, { list }, handler)',
    ]
  }

  get isEmpty(): boolean {
    return !this.#core.hasOwn && this.#core.mounts.all.length === 0
  }

  get hasDirectories(): boolean {
    return this.#core.mounts.all.some(({ provider }) =>
      'hasDirectories' in provider ? provider.hasDirectories === true : provider.children !== undefined,
    )
  }

  get watches(): boolean {
    return (
      this.#core.hasOwn ||
      this.#core.mounts.all.some(({ provider }) =>
        'watches' in provider ? provider.watches === true : provider.watch !== undefined,
      )
    )
  }

  mount(provider: Provider, options: MountOptions = {}): this {
    this.#core.mount(mountOf(provider, options.at))
    return this
  }

  async unmount(name: string): Promise<boolean> {
    return this.#core.unmount(name)
  }

  resource(uri: string, second: ResourceOptions | ResourceHandler, third?: ResourceHandler): this {
    const [options, handler] = typeof second === 'function' ? [{}, second] : [second, third]
    if (handler === undefined)
      throw new ShelfError('invalid-option', `resource ${uri}: a handler is missing`, { option: 'handler' })
    this.#core.resource(uri, options, handler)
    return this
  }

  template<const T extends string>(text: T, second: TemplateOptions<T> | TemplateHandler<T>, third?: TemplateHandler<T>): this {
    const [options, handler] = typeof second === 'function' ? [{}, second] : [second, third]
    if (handler === undefined)
      throw new ShelfError('invalid-option', `template ${text}: a handler is missing`, { option: 'handler' })
    this.#core.template(text, options, handler as unknown as TemplateHandler<string>)
    return this
  }

  remove(uriOrTemplate: string): boolean {
    return this.#core.remove(uriOrTemplate)
  }

  use(policy: Policy): this {
    return this.replacePolicies([...this.#policies, policy])
  }

  replacePolicies(policies: readonly Policy[]): this {
    this.#policies = [...policies]
    this.#chain = this.#policies.reduceRight<Provider>((inner, outer) => outer(inner), this.#core)
    return this
  }

  updated(uri: string, version?: string): void {
    this.#core.feed.hear(version === undefined ? { kind: 'updated', uri } : { kind: 'updated', uri, version })
  }

  listChanged(): void {
    this.#core.feed.hear({ kind: 'list' })
  }

  delivers(change: Change, call: Call): boolean {
    return this.#policies.every((policy) => policy.delivers(change, call)) && this.#core.delivers(change, call)
  }

  start(): Promise<void> {
    return this.#core.start()
  }

  list(request: PageRequest, call: Call): Promise<Page<Resource>> {
    return this.#chain.list(request, call)
  }

  read(request: ReadRequest, call: Call): Promise<ReadResult> {
    return this.#chain.read(request, call)
  }

  async templates(request: PageRequest, call: Call): Promise<Page<ResourceTemplate>> {
    return this.#chain.templates?.(request, call) ?? { items: [] }
  }

  async stat(request: UriRequest, call: Call): Promise<Stat> {
    if (this.#chain.stat === undefined) throw notFound(request.uri)
    return this.#chain.stat(request, call)
  }

  async children(request: ChildrenRequest, call: Call): Promise<Page<Resource>> {
    if (this.#chain.children === undefined) throw notFound(request.uri)
    return this.#chain.children(request, call)
  }

  async complete(request: CompleteRequest, call: Call): Promise<Completion> {
    if (this.#chain.complete === undefined) throw notFound(request.template)
    return this.#chain.complete(request, call)
  }

  watch(onChange: (change: Change) => void, interest?: WatchInterest): Promise<LibraryWatcher> {
    return this.#core.watch(onChange, interest)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#core[Symbol.asyncDispose]()
  }
}
