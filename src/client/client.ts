import { ShelfError } from '../errors.ts'
import type { Completion, Notice } from '../library/index.ts'
import { systemClock } from '../library/index.ts'
import type { Clock, Resource, ResourceTemplate, UncheckedObject } from '../protocol/index.ts'
import { RESOURCE_UPDATED, RESOURCES_CHANGED } from '../protocol/index.ts'
import type { Asking } from './ask.ts'
import { CachedResults } from './cached-results.ts'
import { checkTimes } from './check-times.ts'
import { children } from './children.ts'
import type { CompleteOptions } from './complete.ts'
import { complete } from './complete.ts'
import { Link } from './link.ts'
import type { PageOptions } from './list-page.ts'
import { childrenPage, resourcesPage, templatesPage } from './list-page.ts'
import type { AskOptions, ClientOptions } from './options.ts'
import type { ClientReading, ClientUnchanged } from './client-reading.ts'
import type { ClientQuestion, ReadOnceOptions, ReadOptions } from './read.ts'
import { read, readOnce } from './read.ts'
import { createResultCache } from './result-cache.ts'
import type { ServerFacts } from './server-facts.ts'
import type { ClientStat } from './stat.ts'
import { stat } from './stat.ts'
import type { Connect } from './transport.ts'
import type { ListPage } from './walk-pages.ts'
import { walkPages } from './walk-pages.ts'
import type { Watch, WatchTarget } from './watch/index.ts'
import { Following, PrefixWatch, TopicsWatch } from './watch/index.ts'

/**
 * Everything readable on one server. It connects when it is first asked something, speaks whatever era the server does,
 * and connects again when the connection is lost. URIs go to the server byte for byte as they are given.
 */
export interface Client extends AsyncDisposable {
  /** Connects if need be, and says what the server said of itself. */
  server(options?: AskOptions): Promise<ServerFacts>
  /** All resources, page by page as they are wanted, each URI once. What is odd is told to `onNotice`. */
  list(options?: ListOptions): AsyncIterable<Resource>
  /** One page of them, as the server cuts it. */
  listPage(options?: PageOptions): Promise<ListPage<Resource>>
  /** All templates, in the same way. */
  templates(options?: ListOptions): AsyncIterable<ResourceTemplate>
  templatesPage(options?: PageOptions): Promise<ListPage<ResourceTemplate>>
  /**
   * The contents of one URI, whether it is listed or not.
   *
   * @throws ShelfError `not-found`, `too-large`, `refused`, `timeout`, `cancelled`, `unavailable`, `server-error`,
   *   `invalid-answer`
   */
  read(uri: string, options?: ReadOptions & { readonly ifVersion?: undefined }): Promise<ClientReading>
  /** The same, or that the version which the caller holds is the current one. */
  read(uri: string, options: ReadOptions): Promise<ClientReading | ClientUnchanged>
  /** The same in one request, of which nothing is kept: a question of the server is given back, not answered. */
  readOnce(uri: string, options?: ReadOnceOptions): Promise<ClientReading | ClientUnchanged | ClientQuestion>
  /**
   * The text of a resource that is one text; bytes are decoded as UTF-8.
   *
   * @throws ShelfError as `read`, and `unsupported` for bytes that are no text
   */
  readText(uri: string, options?: AskOptions): Promise<string>
  /** The bytes of a resource that is one body; text is encoded as UTF-8. */
  readBytes(uri: string, options?: AskOptions): Promise<Uint8Array>
  /** What a resource is, without its body where the server can say that. */
  stat(uri: string, options?: AskOptions): Promise<ClientStat>
  /** The direct children of a directory, by the server or by the paths of its list. */
  children(uri: string, options?: ListOptions): AsyncIterable<Resource>
  /**
   * One page of them, as the server cuts it.
   *
   * @throws ShelfError `method-not-found` from a server without directories; `not-found`
   */
  childrenPage(uri: string, options?: PageOptions): Promise<ListPage<Resource>>
  /** Values for a variable of a template that begin with what is typed. */
  complete(template: string, variable: string, prefix: string, options?: CompleteOptions): Promise<Completion>
  /**
   * Changes of some URIs, of all that is listed below a prefix, or of the set of resources. None is missed: what the
   * server does not tell of is looked at every `pollMs`, and after a lost connection everything is followed again and
   * told as `resync`, once.
   */
  watch(target: WatchTarget): Watch
  /** What is watched now, how, and whether the server can be reached for it. */
  subscriptions(): readonly Subscription[]
  /** Ends the connection and whatever was asked. */
  close(): Promise<void>
}

/** One thing that is watched. */
export interface Subscription {
  /** Absent for the set of resources. */
  readonly uri?: string
  /** `pending` until it is first followed, `lost` while the server cannot be reached. */
  readonly state: 'pending' | 'followed' | 'lost'
  /** By `subscriptions/listen`, by `resources/subscribe` (of the set, by what is told unasked), or by looking. */
  readonly by?: 'listen' | 'subscribe' | 'poll'
}

export interface ListOptions extends AskOptions {
  /** Instead of the client's. */
  readonly onNotice?: (notice: Notice) => void
}

/**
 * Makes a client; nothing is connected or started before something is asked.
 *
 * @param connect makes the connection: `connectStdio`, `connectHttp`, `connectMemory`, or a transport of an official client
 * @throws ShelfError `invalid-option` for a time that is none
 */
export function openClient(connect: Connect, options: ClientOptions = {}): Client {
  return new OpenClient(connect, options)
}

const INFO = { name: 'shelfmark', version: '0.0.0' }

class OpenClient implements Client {
  readonly #asking: Asking
  readonly #notice: (notice: Notice) => void
  readonly #following: Following
  readonly #clock: Clock

  constructor(connect: Connect, options: ClientOptions) {
    const { clock = systemClock, random = Math.random, cache, cacheAs, onNotice, timeoutMs = 30_000 } = options
    const { connectTimeoutMs = 60_000, probeMs = 3_000, pollMs = 30_000, livenessMs = 30_000 } = options
    checkTimes({ timeoutMs, connectTimeoutMs, probeMs, pollMs, livenessMs })
    this.#clock = clock
    this.#notice = (notice) => onNotice?.(notice)
    const kept = cache === false ? undefined : (cache ?? createResultCache())
    const results = new CachedResults(kept, clock, cacheAs ?? nobodyElse())
    const link = new Link(connect, {
      info: options.info ?? INFO,
      capabilities: options.capabilities ?? {},
      connectTimeoutMs,
      probeMs,
      era: options.era,
      clock,
      random,
      odd: (message) => this.#notice({ level: 'warning', message }),
      opened: () => undefined,
      notified: (method, params) => this.#notified(method, params),
    })
    this.#asking = { link, results, timeoutMs, onInput: options.onInput, notice: this.#notice }
    this.#following = new Following({
      client: this,
      link,
      clock,
      random,
      timeoutMs,
      pollMs,
      livenessMs,
      stale: (uri) => results.invalidate(uri),
    })
  }

  async server(options: AskOptions = {}): Promise<ServerFacts> {
    return (await this.#asking.link.session(options.signal)).facts
  }

  list(options: ListOptions = {}): AsyncIterable<Resource> {
    return walkPages<Resource>({
      page: (cursor) => this.listPage(at(options, cursor)),
      id: (item) => item.uri,
      notice: options.onNotice ?? this.#notice,
    })
  }

  listPage(options: PageOptions = {}): Promise<ListPage<Resource>> {
    return resourcesPage(this.#asking, options)
  }

  templates(options: ListOptions = {}): AsyncIterable<ResourceTemplate> {
    return walkPages<ResourceTemplate>({
      page: (cursor) => this.templatesPage(at(options, cursor)),
      id: (item) => item.uriTemplate,
      notice: options.onNotice ?? this.#notice,
    })
  }

  templatesPage(options: PageOptions = {}): Promise<ListPage<ResourceTemplate>> {
    return templatesPage(this.#asking, options)
  }

  read(uri: string, options?: ReadOptions & { readonly ifVersion?: undefined }): Promise<ClientReading>
  read(uri: string, options: ReadOptions): Promise<ClientReading | ClientUnchanged>
  read(uri: string, options: ReadOptions = {}): Promise<ClientReading | ClientUnchanged> {
    return read(this.#asking, uri, options)
  }

  readOnce(uri: string, options: ReadOnceOptions = {}): Promise<ClientReading | ClientUnchanged | ClientQuestion> {
    return readOnce(this.#asking, uri, options)
  }

  async readText(uri: string, options: AskOptions = {}): Promise<string> {
    const { text, bytes } = await this.#onlyOne(uri, options)
    if (bytes === undefined) return text
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      throw new ShelfError('unsupported', `${uri} is ${bytes.length} bytes that are no text`, { operation: 'readText' })
    }
  }

  async readBytes(uri: string, options: AskOptions = {}): Promise<Uint8Array> {
    const { text, bytes } = await this.#onlyOne(uri, options)
    return bytes ?? new TextEncoder().encode(text)
  }

  async #onlyOne(uri: string, options: AskOptions) {
    const { contents } = await this.read(uri, options)
    const [only, another] = contents
    if (only !== undefined && another === undefined) return only
    const count = contents.length === 0 ? 'no contents' : `${contents.length} contents`
    throw new ShelfError('unsupported', `${uri} has ${count}; use read()`, { operation: 'read' })
  }

  stat(uri: string, options: AskOptions = {}): Promise<ClientStat> {
    return stat(this.#asking, uri, options)
  }

  children(uri: string, options: ListOptions = {}): AsyncIterable<Resource> {
    return children(this.#asking, uri, options, options.onNotice ?? this.#notice)
  }

  childrenPage(uri: string, options: PageOptions = {}): Promise<ListPage<Resource>> {
    return childrenPage(this.#asking, uri, options)
  }

  complete(template: string, variable: string, prefix: string, options: CompleteOptions = {}): Promise<Completion> {
    return complete(this.#asking, template, variable, prefix, options)
  }

  watch(target: WatchTarget): Watch {
    if (target === 'list') return new TopicsWatch(this.#following, [undefined])
    if (!('prefix' in target)) return new TopicsWatch(this.#following, target)
    const options = { client: this, following: this.#following, clock: this.#clock, notice: this.#notice }
    return new PrefixWatch(target.prefix, options)
  }

  subscriptions(): readonly Subscription[] {
    return this.#following.topics.all.map(({ uri, state, by }) => ({
      ...(uri !== undefined && { uri }),
      state,
      ...(by && { by }),
    }))
  }

  #notified(method: string, { uri }: UncheckedObject): void {
    if (method === RESOURCES_CHANGED.method) this.#asking.results.invalidate()
    if (method === RESOURCE_UPDATED.method && typeof uri === 'string') this.#asking.results.invalidate(uri)
  }

  async close(): Promise<void> {
    this.#following.close()
    await this.#asking.link.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function at(options: ListOptions, cursor: string | undefined): PageOptions {
  return cursor === undefined ? options : { ...options, cursor }
}

let clients = 0

/** In a shared cache, what belongs to one client that does not say whose it is. */
function nobodyElse(): { readonly server: string; readonly principal: string } {
  return { server: `client ${++clients}`, principal: '' }
}
