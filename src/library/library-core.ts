import { notFound, ShelfError } from '../errors.ts'
import type { Clock, Resource, ResourceTemplate } from '../protocol/index.ts'
import { normalUri, uriKey } from '../uri/index.ts'
import type { Call, Operation } from './call.ts'
import type { LibraryWatcher, WatchInterest } from './change-feed.ts'
import { ChangeFeed } from './change-feed.ts'
import type { ConcatenateOptions, Part } from './concatenate.ts'
import { concatenate } from './concatenate.ts'
import { Dependents } from './dependents.ts'
import { enumerate } from './enumeration.ts'
import { innerCall } from './inner-call.ts'
import type { Mount } from './mounts.ts'
import { MountWatches } from './mount-watches.ts'
import { innerUri, MountTable, normalPrefix, outerRead, outerResource, outerTemplate } from './mounts.ts'
import type { ResourceHandler, ResourceOptions, TemplateHandler, TemplateOptions } from './options.ts'
import { OwnResources } from './own-resources.ts'
import { OwnTemplates } from './own-templates.ts'
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
import { LONGEST_URI } from './longest-uri.ts'
import { lastSegment } from './resource-face.ts'
import { statByReading } from './stat-by-reading.ts'

/** How a Library gathers changes, and by which clock. */
export interface ChangeTimes {
  readonly clock: Clock
  readonly windowMs: number
  readonly maxWaitMs: number
}

/** A Library without its policies: own resources and templates, mounts, and the way a URI takes among them. */
export class LibraryCore implements Provider {
  readonly name: string
  readonly prefixes = 'any'
  readonly resources = new OwnResources()
  readonly ownTemplates = new OwnTemplates()
  readonly mounts = new MountTable()
  readonly #lists: ConcatenateOptions
  readonly feed: ChangeFeed
  readonly #dependents = new Dependents()
  #started = false
  /** Mounts that are still starting, or that failed to. */
  readonly #starting = new Map<Mount, Promise<void>>()
  readonly #launched = new WeakSet<Mount>()
  readonly #released = new WeakSet<Mount>()
  readonly #watches: MountWatches
  #closing: Promise<void> | undefined

  /** @param heard told of each change at once, before it is gathered with others */
  constructor(name: string, lists: ConcatenateOptions, times: ChangeTimes, heard: (change: Change) => void) {
    this.name = name
    this.#lists = lists
    const { mounts } = this
    this.#watches = new MountWatches({
      get all() {
        return mounts.all
      },
      mountsOf: (uri) => this.#mountsOf(uri),
      started: (mount) => this.#ready(mount),
      hear: (change) => this.feed.hear(change),
    })
    this.feed = new ChangeFeed(this.#watches, this.#dependents, times.clock, times, heard)
  }

  get hasOwn(): boolean {
    return this.resources.size > 0 || this.ownTemplates.size > 0
  }

  mount(mount: Mount): void {
    this.mounts.add(mount)
    if (this.#started) void this.#launch(mount)
    this.#watches.added(mount)
    this.#tellOfMount(mount)
  }

  async unmount(name: string): Promise<boolean> {
    const mount = this.mounts.remove(name)
    if (mount === undefined) return false
    this.#starting.delete(mount)
    this.#tellOfMount(mount)
    await this.#release(mount)
    return true
  }

  resource(uri: string, options: ResourceOptions, handler: ResourceHandler): void {
    const prefixes = options.dependsOn?.map((prefix) => normalPrefix(`The resource ${uri} depends on`, prefix, 'dependsOn'))
    const normal = this.resources.add(uri, options, handler)
    if (prefixes !== undefined) {
      this.#dependents.add(normal, uri, prefixes)
      this.feed.depends(normal)
    }
    this.feed.hear({ kind: 'list', under: normal })
  }

  template(text: string, options: TemplateOptions, handler: TemplateHandler<string>): void {
    this.ownTemplates.add(text, options, handler)
    this.feed.hear({ kind: 'list', under: literalOf(text) })
  }

  remove(uriOrTemplate: string): boolean {
    const template = this.ownTemplates.remove(uriOrTemplate)
    const normal = template ? literalOf(uriOrTemplate) : normalUri(uriOrTemplate)
    if (normal === undefined || (!template && !this.resources.remove(normal))) return false
    if (!template) {
      this.#dependents.remove(normal)
      this.feed.depends(normal)
      this.feed.hear({ kind: 'updated', uri: uriOrTemplate })
    }
    this.feed.hear({ kind: 'list', under: normal })
    return true
  }

  async start(): Promise<void> {
    this.#started = true
    await Promise.all(this.mounts.all.map(async (mount) => this.#ready(mount)))
  }

  list(request: PageRequest, call: Call): Promise<Page<Resource>> {
    const parts: Part<Resource>[] = [
      { key: 'own', idle: this.resources.size === 0, page: (inner) => this.resources.list(inner, call) },
      ...this.ownTemplates.enumerable.map((own) => ({
        key: `template:${own.text}`,
        hidden: call.reaches?.('list', literalOf(own.text)) === false,
        page: (inner: PageRequest) => enumerate(own, inner, call, this.#lists.budgetMs),
      })),
      ...this.mounts.all.map((mount) => ({
        key: `mount:${mount.provider.name}`,
        hidden: !isReached(mount, 'list', call),
        page: (inner: PageRequest) => this.#listMount(mount, inner, call),
      })),
    ]
    return concatenate(parts, request, call, this.#lists)
  }

  templates(request: PageRequest, call: Call): Promise<Page<ResourceTemplate>> {
    const parts: Part<ResourceTemplate>[] = [
      { key: 'own', idle: this.ownTemplates.size === 0, page: async (inner) => this.ownTemplates.templates(inner) },
    ]
    for (const mount of this.mounts.all) {
      if (mount.provider.templates === undefined) continue
      parts.push({
        key: `mount:${mount.provider.name}`,
        hidden: !isReached(mount, 'templates', call),
        page: async (inner) => {
          await this.#ready(mount)
          const page = await mount.provider.templates!(inner, innerCall(mount, call))
          return { ...page, items: page.items.map((item) => outerTemplate(mount, item)) }
        },
      })
    }
    return concatenate(parts, request, call, this.#lists)
  }

  read(request: ReadRequest, call: Call): Promise<ReadResult> {
    return this.#route(
      request.uri,
      (normal) => this.resources.read(normal, request, call),
      (mount) => this.#readMount(mount, request, call),
      () => this.ownTemplates.read(request, call),
    )
  }

  stat(request: UriRequest, call: Call): Promise<Stat> {
    return this.#route<Stat>(
      request.uri,
      (normal) => this.resources.stat(normal, call)?.then((resource) => ({ resource })),
      async (mount) => {
        if (mount.provider.stat === undefined) {
          const bare = { uri: request.uri, name: lastSegment(request.uri) }
          return statByReading(bare, (nothing) => this.#readMount(mount, nothing, call))
        }
        const stat = await mount.provider.stat({ ...request, uri: innerUri(mount, request.uri) }, innerCall(mount, call))
        return { ...stat, resource: outerResource(mount, stat.resource) }
      },
      () => this.ownTemplates.stat(request, call),
    )
  }

  children(request: ChildrenRequest, call: Call): Promise<Page<Resource>> {
    return this.#route<Page<Resource>>(
      request.uri,
      () => undefined,
      async (mount) => {
        if (mount.provider.children === undefined) throw notFound(request.uri)
        const page = await mount.provider.children({ ...request, uri: innerUri(mount, request.uri) }, innerCall(mount, call))
        return { ...page, items: page.items.map((item) => outerResource(mount, item)) }
      },
      () => undefined,
    )
  }

  async complete(request: CompleteRequest, call: Call): Promise<Completion> {
    const own = this.ownTemplates.complete(request, call, this.#lists.budgetMs)
    if (own !== undefined) return own
    const literal = literalOf(request.template)
    for (const mount of this.#mountsOf(literal)) {
      if (mount.provider.complete === undefined) continue
      await this.#ready(mount)
      const inner = { ...request, template: innerUri(mount, request.template) }
      try {
        return await mount.provider.complete(inner, innerCall(mount, call))
      } catch (error) {
        if (!ShelfError.is(error, 'not-found')) throw error
      }
    }
    throw notFound(request.template)
  }

  /** Whether changes of this URI can be told: own ones can, and those of a mount that watches. */
  tells(uri: string): boolean {
    const normal = normalUri(uri)
    if (normal === undefined) return false
    if (this.resources.has(normal)) return true
    const owner = this.mounts.owner(normal)
    if (owner !== undefined) return tellsOf(owner, uri)
    return this.ownTemplates.has(uri) || this.mounts.catchAll.some((mount) => tellsOf(mount, uri))
  }

  /** A mount decides on changes of its own. Of those that take any URI all must agree: which one has it is not known. */
  delivers(change: Change, call: Call): boolean {
    if (change.kind !== 'updated') return true
    const normal = normalUri(change.uri)
    if (normal === undefined || this.resources.has(normal)) return true
    const owner = this.mounts.owner(normal)
    if (owner !== undefined) return deliversOf(owner, change, call)
    return this.ownTemplates.has(change.uri) || this.mounts.catchAll.every((mount) => deliversOf(mount, change, call))
  }

  /** Own changes, and those of the mounts that watch, as seen from outside. */
  watch(onChange: (change: Change) => void, interest: WatchInterest = 'all'): Promise<LibraryWatcher> {
    return this.feed.watch(onChange, interest)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= settleAll(this.mounts.all.map((mount) => this.#release(mount))))
  }

  /** Static before mounted before template before catch-all. Whatever the gate refuses is not found. */
  #route<T>(
    uri: string,
    own: (normal: string) => Promise<T> | undefined,
    mounted: (mount: Mount) => Promise<T>,
    template: () => Promise<T> | undefined,
  ): Promise<T> {
    const normal = uri.length > LONGEST_URI ? undefined : normalUri(uri)
    if (normal === undefined) return Promise.reject(notFound(uri))
    const resource = own(normal)
    if (resource !== undefined) return resource
    const owner = this.mounts.owner(normal)
    if (owner !== undefined) return this.#ask(owner, uri, mounted)
    return template() ?? this.#askAll(uri, mounted)
  }

  /** The mounts that may answer for a URI, or for what begins with a text. */
  #mountsOf(uri: string): readonly Mount[] {
    const owner = this.mounts.owner(uriKey(uri))
    return owner === undefined ? this.mounts.catchAll : [owner]
  }

  async #askAll<T>(uri: string, mounted: (mount: Mount) => Promise<T>): Promise<T> {
    for (const mount of this.mounts.catchAll) {
      try {
        return await this.#ask(mount, uri, mounted)
      } catch (error) {
        if (!ShelfError.is(error, 'not-found')) throw error
      }
    }
    throw notFound(uri)
  }

  /** Asks one mount, once it has started; its "not found" is about the URI as it is seen from outside. */
  async #ask<T>(mount: Mount, uri: string, mounted: (mount: Mount) => Promise<T>): Promise<T> {
    const starting = this.#ready(mount)
    if (starting !== undefined) await starting
    try {
      return await mounted(mount)
    } catch (error) {
      throw ShelfError.is(error, 'not-found') ? notFound(uri) : error
    }
  }

  async #listMount(mount: Mount, request: PageRequest, call: Call): Promise<Page<Resource>> {
    await this.#ready(mount)
    const page = await mount.provider.list(request, innerCall(mount, call))
    if (mount.qualifier === '' && this.resources.size === 0) return page
    const items = page.items.map((item) => outerResource(mount, item)).filter((item) => !this.resources.has(uriKey(item.uri)))
    return { ...page, items }
  }

  async #readMount(mount: Mount, request: ReadRequest, call: Call): Promise<ReadResult> {
    if (mount.qualifier === '') return mount.provider.read(request, call)
    return outerRead(mount, await mount.provider.read({ ...request, uri: innerUri(mount, request.uri) }, innerCall(mount, call)))
  }

  /** Settles when a mount has started. Whoever asks for it first starts it. */
  #ready(mount: Mount): Promise<void> | undefined {
    return this.#launched.has(mount) ? this.#starting.get(mount) : this.#launch(mount)
  }

  /** A mount came or goes: what is listened to at its place has become something else. */
  #tellOfMount(mount: Mount): void {
    this.feed.hear({ kind: 'list', ...placeOf(mount) })
    for (const uri of this.#watches.listenedOf(mount)) this.feed.hear({ kind: 'updated', uri })
  }

  #launch(mount: Mount): Promise<void> | undefined {
    this.#launched.add(mount)
    if (mount.provider.start === undefined) return undefined
    const begin = async (): Promise<void> => mount.provider.start?.()
    const starting = begin().then(() => {
      this.#starting.delete(mount)
    })
    this.#starting.set(mount, starting)
    starting.catch(() => undefined)
    return starting
  }

  async #release(mount: Mount): Promise<void> {
    if (this.#released.has(mount)) return
    this.#released.add(mount)
    await this.#watches.removed(mount)
    await mount.provider[Symbol.asyncDispose]?.()
  }
}

/** What every URI of a template begins with. */
function literalOf(template: string): string {
  return template.split('{', 1)[0] ?? ''
}

/** Where a mount's URIs are, if that is one place. */
function placeOf({ prefixes }: Mount): { readonly under?: string } {
  const [under, ...others] = prefixes === 'any' ? [] : prefixes
  return under === undefined || others.length > 0 ? {} : { under }
}

/** A mounted Library knows it of each URI; any other provider watches all it has, or nothing. */
function tellsOf(mount: Mount, uri: string): boolean {
  const { provider } = mount
  if ('tells' in provider && typeof provider.tells === 'function') return provider.tells(innerUri(mount, uri)) === true
  return provider.watch !== undefined
}

function deliversOf(mount: Mount, change: Change & { readonly kind: 'updated' }, call: Call): boolean {
  const inner = { ...change, uri: innerUri(mount, change.uri) }
  return mount.provider.delivers?.(inner, innerCall(mount, call)) ?? true
}

/** Whether this caller may see anything of a mount. */
function isReached({ qualifier, prefixes }: Mount, operation: Operation, call: Call): boolean {
  const places = prefixes === 'any' ? [qualifier] : prefixes
  return call.reaches === undefined || places.some((prefix) => call.reaches!(operation, prefix))
}

/** Rejects as the first did that rejected, when all have settled. */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
