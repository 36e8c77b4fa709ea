import { notFound, ShelfError } from '../../errors.ts'
import type {
  Call,
  Change,
  ChildrenRequest,
  CompleteRequest,
  Completion,
  Notice,
  Operation,
  Page,
  PageRequest,
  Provider,
  ReadRequest,
  ReadResult,
  Stat,
  UriRequest,
  Watcher,
} from '../../library/index.ts'
import { strictest, systemClock } from '../../library/index.ts'
import type { CacheHint, Clock, Resource, ResourceTemplate } from '../../protocol/index.ts'
import { UNCACHED } from '../../protocol/index.ts'
import type { Client } from '../client.ts'
import { openClient } from '../client.ts'
import { createResultCache } from '../result-cache.ts'
import { childrenOf } from './children-of.ts'
import { HubWatch } from './hub-watch.ts'
import { MergedList } from './merged-list.ts'
import type { HubOptions } from './options.ts'
import { onlyOwner } from './owners.ts'
import { readFrom } from './read-from.ts'
import type { Named } from './server.ts'
import { HubServer } from './server.ts'

/**
 * Many servers as one Provider: their lists and templates one after the other, each read by the server that the URI
 * names. What one of them does is no matter to the others.
 */
export interface Hub extends Provider {
  readonly listHint: CacheHint
  /** The clients, by the names of their servers. */
  readonly clients: ReadonlyMap<string, Client>
  templates(request: PageRequest, call: Call): Promise<Page<ResourceTemplate>>
  stat(request: UriRequest, call: Call): Promise<Stat>
  children(request: ChildrenRequest, call: Call): Promise<Page<Resource>>
  complete(request: CompleteRequest, call: Call): Promise<Completion>
  watch(onChange: (change: Change) => void): Promise<Watcher>
  /** The server of a URI as the Hub calls it, and what that server calls it; undefined for a name that it has not. */
  locate(uri: string): { readonly server: string; readonly uri: string } | undefined
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Makes a Hub; no server is connected to before something of it is wanted.
 *
 * @throws ShelfError `invalid-option` for no servers, or a name that is none
 */
export function openHub(options: HubOptions): Hub {
  return new OpenHub(options)
}

/** A name is the beginning of a scheme, and holds no `+`: the first one ends it. */
const NAME = /^[a-z][a-z0-9.-]*$/

class OpenHub implements Hub {
  readonly name: string
  readonly prefixes = 'any'
  readonly clients: ReadonlyMap<string, Client>
  readonly #servers: readonly HubServer[]
  readonly #resources: MergedList<Resource>
  readonly #templates: MergedList<ResourceTemplate>
  readonly #budgetMs: number
  readonly #clock: Clock
  /** What each server said last of how its lists may be kept. */
  readonly #hints = new Map<HubServer, CacheHint>()

  constructor(options: HubOptions) {
    const { servers, listBudgetMs = 5_000, clock = systemClock, name = 'hub', onNotice } = options
    const names = Object.keys(servers)
    if (names.length === 0) throw new ShelfError('invalid-option', 'A Hub wants at least one server', { option: 'servers' })
    const wrong = [name, ...names].find((one) => !NAME.test(one))
    if (wrong !== undefined) {
      const shown = JSON.stringify(wrong)
      throw new ShelfError('invalid-option', `A name of a server is like [a-z][a-z0-9.-]*, got ${shown}`, { option: 'servers' })
    }
    const qualified = options.qualify ?? names.length > 1
    const cache = createResultCache()
    this.name = name
    this.#budgetMs = listBudgetMs
    this.#clock = clock
    this.#servers = Object.entries(servers).map(([server, connect]) => {
      const tell = (notice: Notice): void => onNotice?.({ ...notice, provider: server })
      const client = openClient(connect, {
        ...options.client,
        clock,
        cache,
        cacheAs: { server, principal: '' },
        onNotice: tell,
      })
      return new HubServer(server, client, qualified, tell)
    })
    this.clients = new Map(this.#servers.map((server) => [server.name, server.client]))
    const common = {
      servers: this.#servers,
      clock,
      budgetMs: listBudgetMs,
      hint: (server: HubServer, hint: CacheHint) => void this.#hints.set(server, hint),
    }
    this.#resources = new MergedList<Resource>({
      ...common,
      operation: 'list',
      page: ({ client }, page) => client.listPage(page),
      outer: (server, item) => server.resource(item),
    })
    this.#templates = new MergedList<ResourceTemplate>({
      ...common,
      operation: 'templates',
      page: ({ client }, page) => client.templatesPage(page),
      outer: (server, item) => server.template(item),
    })
  }

  /** The strictest of what the servers said; of one that said nothing yet, that nothing may be kept. */
  get listHint(): CacheHint {
    return this.#servers.map((server) => this.#hints.get(server) ?? UNCACHED).reduce(strictest)
  }

  locate(uri: string): { readonly server: string; readonly uri: string } | undefined {
    const named = this.#named(uri)
    return named && { server: named.server.name, uri: named.inner }
  }

  /** The server that a URI or template names, and what that server calls it. */
  #named(uri: string): Named | undefined {
    const [only, another] = this.#servers
    if (only !== undefined && another === undefined && only.qualifier === '') return { server: only, inner: uri }
    const name = uri.slice(0, Math.max(0, uri.indexOf('+')))
    const server = this.#servers.find((one) => one.name === name)
    const inner = server?.inner(uri)
    return server === undefined || inner === undefined ? undefined : { server, inner }
  }

  /** @throws ShelfError `not-found` for one that names none */
  #mustName(uri: string): Named {
    const named = this.#named(uri)
    if (named === undefined) throw notFound(uri)
    return named
  }

  /** The server of a URI, asked for where it does not say, among those where the caller may have it. */
  async #owner(operation: Operation, uri: string, call: Call): Promise<Named> {
    const named = this.#named(uri)
    if (named !== undefined) return named
    const allowed = this.#servers.filter((one) => call.allows(operation, one.outer(uri)))
    return { server: await onlyOwner(allowed, uri, this.#budgetMs, call.signal), inner: uri }
  }

  list(request: PageRequest, call: Call): Promise<Page<Resource>> {
    return this.#resources.page(request, call)
  }

  templates(request: PageRequest, call: Call): Promise<Page<ResourceTemplate>> {
    return this.#templates.page(request, call)
  }

  async read(request: ReadRequest, call: Call): Promise<ReadResult> {
    const { server, inner } = await this.#owner('read', request.uri, call)
    return asked(request.uri, readFrom(server, inner, request, call))
  }

  async stat({ uri }: UriRequest, call: Call): Promise<Stat> {
    const { server, inner } = await this.#owner('stat', uri, call)
    const { resource, version, hint } = await asked(uri, server.client.stat(inner, { signal: call.signal }))
    return { resource: server.resource(resource), hint, ...(version !== undefined && { version }) }
  }

  async children(request: ChildrenRequest, call: Call): Promise<Page<Resource>> {
    const { server, inner } = this.#mustName(request.uri)
    return asked(request.uri, childrenOf(server, inner, request, call))
  }

  async complete(request: CompleteRequest, call: Call): Promise<Completion> {
    const { template, variable, prefix, arguments: earlier } = request
    const { server, inner } = this.#mustName(template)
    return asked(template, server.client.complete(inner, variable, prefix, { arguments: earlier, signal: call.signal }))
  }

  watch(onChange: (change: Change) => void): Promise<Watcher> {
    const named = (uri: string) => this.#mustName(uri)
    const common = { servers: this.#servers, clock: this.#clock, budgetMs: this.#budgetMs }
    return new HubWatch({ ...common, named, onChange }).arm()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map(({ client }) => client.close()))
  }
}

/** "Not found" is said of the URI as it was asked for. */
async function asked<T>(uri: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw ShelfError.is(error, 'not-found') ? notFound(uri) : error
  }
}
