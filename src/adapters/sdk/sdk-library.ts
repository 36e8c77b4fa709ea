import { ShelfError } from '../../errors.ts'
import type { Library, Principal } from '../../library/index.ts'
import { heedless } from '../../library/index.ts'
import {
  COMPLETE,
  INITIALIZE,
  INITIALIZED,
  isObject,
  LATEST_LEGACY,
  META_SERVER_INFO,
  RESOURCES_LIST,
  RESOURCES_READ,
  RESOURCES_SUBSCRIBE,
  RESOURCES_UNSUBSCRIBE,
  TEMPLATES_LIST,
  toWireError,
} from '../../protocol/index.ts'
import type { UncheckedObject } from '../../protocol/index.ts'
import { processDefaults } from '../../runtime/index.ts'
import type { Engine } from '../../server/index.ts'
import { openEngine } from '../../server/index.ts'
import type {
  OfficialContext,
  OfficialMcpServer,
  OfficialNotification,
  OfficialRequest,
  OfficialServer,
} from './official-server.ts'
import type { SdkLibraryOptions } from './options.ts'
import { principalOf } from './options.ts'
import { PeerLink, WireFailure } from './peer-link.ts'

/** What a Library answers in a server that is not its own. */
const METHODS: readonly string[] = [
  RESOURCES_LIST.method,
  TEMPLATES_LIST.method,
  RESOURCES_READ.method,
  RESOURCES_SUBSCRIBE.method,
  RESOURCES_UNSUBSCRIBE.method,
]

/** What is told of changes: `notify` of `createMcpHandler`, and what is like it. */
export interface ChangeNotifier {
  resourcesChanged(): void
  resourceUpdated(uri: string): void
}

/** A Library that official servers have beside their tools and prompts. */
export interface SdkLibrary extends AsyncDisposable {
  /**
   * Adds the Library's resources to a server: list, templates, read, completion, and in legacy sessions subscriptions. Call it
   * before anything else is registered there, and before the server connects.
   *
   * @throws ShelfError `duplicate` for a server that has resources, or completion, of its own
   */
  addTo(server: OfficialMcpServer): void
  /**
   * Tells of every change of the Library, whoever asks: for the listen streams of the modern era, which the official
   * packages serve themselves. Disposing what it resolves to ends that.
   *
   * @param target `handler.notify` of `createMcpHandler`, or an `McpServer` that is connected over stdio
   */
  announce(target: ChangeNotifier | OfficialMcpServer): Promise<AsyncDisposable>
}

/**
 * Prepares a Library for servers of `@modelcontextprotocol/sdk` 1 and `@modelcontextprotocol/server` 2. One will do for
 * all servers of a process, also for those that are made for one request. The Library stays with whoever made it.
 */
export function openSdkLibrary(library: Library, options: SdkLibraryOptions = {}): SdkLibrary {
  return new OpenSdkLibrary(library, options)
}

class OpenSdkLibrary implements SdkLibrary {
  readonly #library: Library
  readonly #options: SdkLibraryOptions
  readonly #sessions = new WeakMap<OfficialServer, Session>()
  #engine: Promise<Engine> | undefined

  constructor(library: Library, options: SdkLibraryOptions) {
    this.#library = library
    this.#options = options
  }

  addTo({ server }: OfficialMcpServer): void {
    for (const method of [...METHODS, COMPLETE.method]) {
      try {
        server.assertCanSetRequestHandler(method)
      } catch (cause) {
        throw new ShelfError(
          'duplicate',
          `This server answers ${method} itself: add the Library before anything is registered`,
          { first: 'the server', second: 'the library' },
          { cause },
        )
      }
    }
    server.registerCapabilities({ resources: { listChanged: true, subscribe: this.#library.watches }, completions: {} })
    const session = new Session(server, (method) => this.#openFor(method), this.#options.principal ?? principalOf)
    this.#sessions.set(server, session)
    besideOthers(server, session)
  }

  async announce(target: ChangeNotifier | OfficialMcpServer): Promise<AsyncDisposable> {
    await this.#open()
    const notifier = 'server' in target ? notifierOf(target.server, this.#sessions.get(target.server)) : target
    return this.#library.watch((change) => {
      if (change.kind === 'updated') notifier.resourceUpdated(change.uri)
      else notifier.resourcesChanged()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // An engine that never opened has nothing to close.
    const engine = await this.#engine?.catch(() => undefined)
    await engine?.close()
  }

  /** Rejects while the Library cannot be started; whoever asks next tries again. */
  #open(): Promise<Engine> {
    if (this.#engine !== undefined) return this.#engine
    const engine = openEngine(this.#library, { ...processDefaults(), ...this.#options })
    this.#engine = engine
    engine.catch(() => {
      this.#engine = undefined
    })
    return engine
  }

  /** The Engine for a request: why there is none is for the log, since it may name what the client must not learn. */
  async #openFor(method: string): Promise<Engine> {
    try {
      return await this.#open()
    } catch (error) {
      const { onError = processDefaults().onError } = this.#options
      heedless(() => onError(error, { method }))
      throw new WireFailure(toWireError(new ShelfError('unavailable', 'The Library cannot be started', {}), 'legacy'))
    }
  }
}

/** The Library as the one client of one server sees it. */
class Session {
  readonly #server: OfficialServer
  readonly #open: (method: string) => Promise<Engine>
  readonly #principalOf: NonNullable<SdkLibraryOptions['principal']>
  #legacy: Promise<PeerLink> | undefined

  constructor(
    server: OfficialServer,
    open: (method: string) => Promise<Engine>,
    find: NonNullable<SdkLibraryOptions['principal']>,
  ) {
    this.#server = server
    this.#open = open
    this.#principalOf = find
    whenClosed(server, () => this.#end())
  }

  /** Whether its client is of the legacy era, and hears of changes by itself. */
  get isLegacy(): boolean {
    return this.#legacy !== undefined
  }

  async answer({ method, params = {} }: OfficialRequest, context: OfficialContext): Promise<UncheckedObject> {
    const signal = context.mcpReq?.signal ?? context.signal
    const notify = context.mcpReq?.notify ?? context.sendNotification
    const tell = (notification: OfficialNotification): void => {
      void notify?.(notification).catch(() => undefined)
    }
    const envelope = context.mcpReq?.envelope
    const principal = this.#principalOf(context)
    if (envelope === undefined) {
      const session = await this.#session(principal, method)
      // In one turn with the request, which is of this principal and of nobody who asks at the same time.
      session.renew(principal)
      return session.request(method, params, signal, tell)
    }
    const link = new PeerLink(await this.#open(method), principal, tell)
    try {
      return plainResult(await link.request(method, modernParams(params, context, envelope), signal, tell))
    } finally {
      link.close()
    }
  }

  /** The legacy session of this server, which begins with its first request. */
  #session(principal: Principal, method: string): Promise<PeerLink> {
    if (this.#legacy !== undefined) return this.#legacy
    const legacy = this.#begin(principal, method)
    this.#legacy = legacy
    legacy.catch(() => {
      if (this.#legacy === legacy) this.#legacy = undefined
    })
    return legacy
  }

  async #begin(principal: Principal, method: string): Promise<PeerLink> {
    const link = new PeerLink(await this.#open(method), principal, (notification) => this.#tell(notification))
    await link.request(INITIALIZE.method, { protocolVersion: LATEST_LEGACY, capabilities: {} }, undefined, () => undefined)
    link.notify({ method: INITIALIZED.method })
    return link
  }

  /** What is said unasked goes to whoever is connected; when nobody is, there will be nobody. */
  #tell(notification: OfficialNotification): void {
    this.#server.notification(notification).catch(() => this.#end())
  }

  #end(): void {
    const legacy = this.#legacy
    this.#legacy = undefined
    void legacy?.then(
      (link) => link.close(),
      () => undefined,
    )
  }
}

/** Calls `end` when a server closes, beside whatever its author sets as `onclose`, before or after. */
function whenClosed(server: OfficialServer, end: () => void): void {
  let own = server.onclose
  Object.defineProperty(server, 'onclose', {
    configurable: true,
    enumerable: true,
    get: () => {
      const others = own
      return () => {
        end()
        others?.()
      }
    },
    set: (onclose: OfficialServer['onclose']) => {
      own = onclose
    },
  })
}

/** What the official server took out of a modern request is put back. */
function modernParams(params: UncheckedObject, { mcpReq }: OfficialContext, envelope: UncheckedObject): UncheckedObject {
  const inputResponses = mcpReq?.inputResponses
  const requestState = mcpReq?.requestState?.()
  return {
    ...params,
    _meta: { ...(isObject(params['_meta']) ? params['_meta'] : {}), ...envelope },
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  }
}

/** The official server says itself who it is, and what kind of result it gives. */
function plainResult({ resultType, _meta, ...result }: UncheckedObject): UncheckedObject {
  const { [META_SERVER_INFO]: _own, ...meta } = isObject(_meta) ? _meta : {}
  return {
    ...result,
    ...(resultType === 'input_required' && { resultType }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }
}

/**
 * Requests about resources go to the Library, all others where they went before: those of completion to whoever sets a
 * handler for them, which happens when the first prompt that completes is registered.
 */
function besideOthers(server: OfficialServer, session: Session): void {
  const set = server.setRequestHandler.bind(server)
  const assertFree = server.assertCanSetRequestHandler.bind(server)
  const named = takesNames(server)
  let completes = !named
  server.assertCanSetRequestHandler = (method) => {
    if (METHODS.includes(method)) {
      throw new ShelfError('duplicate', 'The resources of this server come from a Library: add this one there', {
        first: 'the library',
        second: 'the server',
      })
    }
    if (method !== COMPLETE.method || completes) assertFree(method)
  }
  server.setRequestHandler = (...args) => {
    const handler: unknown = args.at(-1)
    if (typeof handler !== 'function') return set(...args)
    completes ||= args[0] === COMPLETE.method
    const both = (request: OfficialRequest, context: OfficialContext): unknown =>
      completesResource(request) ? session.answer(request, context) : Reflect.apply(handler, undefined, [request, context])
    return set(...args.slice(0, -1), both)
  }
  const methods = [...METHODS, COMPLETE.method]
  if (named) {
    // What nobody answers stays with the official server, which says so with the right status of HTTP.
    for (const method of methods) {
      set(method, { params: AS_IT_IS }, (params: UncheckedObject, context: OfficialContext) =>
        session.answer({ method, params }, context),
      )
    }
    return
  }
  const fallback = server.fallbackRequestHandler
  server.fallbackRequestHandler = (request: OfficialRequest, context: OfficialContext): unknown => {
    if (methods.includes(request.method)) return session.answer(request, context)
    if (fallback !== undefined) return Reflect.apply(fallback, undefined, [request, context])
    throw new WireFailure({ code: -32_601, message: 'Method not found' })
  }
}

/** Whether handlers are set as (method, schemas, handler), as in `server` 2; `sdk` 1 wants a schema of its own making. */
const takesNames = (server: OfficialServer): boolean => server.setRequestHandler.length === 3

/** A schema in the common form of schema libraries (Standard Schema 1): the Engine checks parameters itself. */
const AS_IT_IS = {
  '~standard': { version: 1, vendor: 'shelfmark', validate: (value: unknown) => ({ value }) },
}

function completesResource({ method, params }: OfficialRequest): boolean {
  const ref = params?.['ref']
  return method === COMPLETE.method && isObject(ref) && ref['type'] === 'ref/resource'
}

function notifierOf(server: OfficialServer, session: Session | undefined): ChangeNotifier {
  const tell = (notification: OfficialNotification): void => {
    // Once is enough for who is told of what it subscribed to.
    if (session?.isLegacy) return
    void server.notification(notification).catch(() => undefined)
  }
  return {
    resourcesChanged: () => tell({ method: 'notifications/resources/list_changed' }),
    resourceUpdated: (uri) => tell({ method: 'notifications/resources/updated', params: { uri } }),
  }
}
