import type { ErrorCode } from '../errors.ts'
import { ShelfError } from '../errors.ts'
import { settleable } from '../library/index.ts'
import type { Clock, Era, Implementation, Revision, UncheckedObject } from '../protocol/index.ts'
import {
  DISCOVER,
  INITIALIZE,
  INITIALIZED,
  isLegacy,
  isObject,
  isRevision,
  isStrings,
  LATEST_LEGACY,
  META_SERVER_INFO,
  MODERN_REVISIONS,
} from '../protocol/index.ts'
import { envelope } from './envelope.ts'
import type { RpcPeer } from './rpc-peer.ts'
import type { ServerFacts } from './server-facts.ts'
import { serverFacts } from './server-facts.ts'

export interface NegotiateOptions {
  readonly info: Implementation
  readonly capabilities: UncheckedObject
  /** What the server was last time: that is tried first. */
  readonly remembered: Era | undefined
  /** When all of it must be over, in milliseconds of the monotonic clock; a login comes on top. */
  readonly until: number
  /** How long a server on a shared channel may be silent before it is taken for a legacy one, in milliseconds. */
  readonly probeMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

const PREFERRED = MODERN_REVISIONS[0]!

/** Errors that only a server of the modern era answers with (basic/versioning). */
const MODERN_ERRORS = [-32_020, -32_021, -32_022]

/** What a legacy server would ask for by requests of its own, which are refused: it is not told that they would be answered. */
const ASKED_BY_REQUEST: ReadonlySet<string> = new Set(['elicitation', 'roots', 'sampling'])

/** How long a server with a stream for each request may take for `server/discover`, in milliseconds. */
const DISCOVER_MS = 15_000

/**
 * Finds out what a server speaks, over the one connection that there is (basic/versioning, Backward Compatibility):
 * `server/discover` first, and `initialize` when that is answered by no modern error, or not at all. A server that was
 * legacy last time is asked the other way round.
 */
export async function negotiate(peer: RpcPeer, options: NegotiateOptions): Promise<ServerFacts> {
  if (options.remembered === 'legacy') {
    const facts = await attempt(peer, initialize(peer, options))
    if (!(facts instanceof ShelfError)) return facts
    // Nobody logs in a second time because the first login failed.
    if (facts.code === 'refused') throw facts
    return discover(peer, options, PREFERRED)
  }
  return peer.transport.hasPerRequestStream === true ? bySteps(peer, options) : byProbe(peer, options)
}

/** An answer to each request is sure, so one is asked after the other. */
async function bySteps(peer: RpcPeer, options: NegotiateOptions): Promise<ServerFacts> {
  const facts = await attempt(peer, discover(peer, options, PREFERRED, DISCOVER_MS))
  if (!(facts instanceof ShelfError)) return facts
  if (!isLegacyVerdict(facts)) throw facts
  return initialize(peer, options)
}

/** Legacy servers may not answer what comes before `initialize`; a silent one is asked both. */
async function byProbe(peer: RpcPeer, options: NegotiateOptions): Promise<ServerFacts> {
  const asking = new AbortController()
  const stop = (): void => asking.abort()
  options.signal?.addEventListener('abort', stop, { once: true })
  try {
    return await probe(peer, { ...options, signal: asking.signal })
  } finally {
    // What is not answered yet need not be any more.
    options.signal?.removeEventListener('abort', stop)
    stop()
  }
}

async function probe(peer: RpcPeer, options: NegotiateOptions): Promise<ServerFacts> {
  const discovered = outcome(discover(peer, options, PREFERRED))
  const silent = settleable<undefined>()
  const callOff = options.clock.after(options.probeMs, () => silent.resolve(undefined))
  const first = await Promise.race([discovered, silent.promise])
  callOff()
  if (first !== undefined && !(first instanceof ShelfError)) return first
  if (first !== undefined) {
    orThrow(peer, first)
    if (!isLegacyVerdict(first)) throw first
  }
  const initialized = outcome(initialize(peer, options))
  // Whichever is answered well; the other was never meant.
  const second = await Promise.race([discovered, initialized])
  if (!(second instanceof ShelfError)) return second
  const [late, legacy] = await Promise.all([discovered, initialized])
  if (!(late instanceof ShelfError)) return late
  if (legacy instanceof ShelfError) throw legacy
  return legacy
}

function outcome(facts: Promise<ServerFacts>): Promise<ServerFacts | ShelfError> {
  return facts.catch((error: unknown) => ShelfError.from(error))
}

/** What became of it; throws where nothing can be tried after it. */
async function attempt(peer: RpcPeer, facts: Promise<ServerFacts>): Promise<ServerFacts | ShelfError> {
  return orThrow(peer, await outcome(facts))
}

/** With the connection gone, or the caller, nothing can be tried. */
function orThrow(peer: RpcPeer, facts: ServerFacts | ShelfError): ServerFacts | ShelfError {
  if (facts instanceof ShelfError && (peer.closed || facts.code === 'cancelled')) throw facts
  return facts
}

/** @param again whether a revision was refused before: a server that refuses what it said it speaks is asked no third time */
async function discover(
  peer: RpcPeer,
  options: NegotiateOptions,
  revision: Revision,
  mostMs = Infinity,
  again = false,
): Promise<ServerFacts> {
  const params = { _meta: envelope(revision, options.info, options.capabilities) }
  try {
    const result = await ask(peer, DISCOVER.method, params, options, true, mostMs)
    const meta = isObject(result['_meta']) ? result['_meta'] : {}
    const supported = isStrings(result['supportedVersions']) ? result['supportedVersions'] : [revision]
    const agreed = agree(supported, revision)
    return serverFacts('modern', agreed, {
      capabilities: result['capabilities'],
      implementation: meta[META_SERVER_INFO],
      instructions: result['instructions'],
    })
  } catch (error) {
    const supported = supportedBy(error)
    if (supported === undefined) throw error
    const other = agree(supported, undefined)
    if (again) throw error
    return discover(peer, options, other, mostMs, true)
  }
}

/** A modern revision that both speak. */
function agree(supported: readonly string[], preferred: Revision | undefined): Revision {
  if (preferred !== undefined && supported.includes(preferred)) return preferred
  const both = MODERN_REVISIONS.find((revision) => supported.includes(revision))
  if (both !== undefined) return both
  throw new ShelfError(
    'unsupported-version',
    `The server speaks ${supported.join(', ').slice(0, 100) || 'no revision'} of the protocol, this client ${MODERN_REVISIONS.join(', ')} and older ones`,
    { supported, requested: PREFERRED },
  )
}

/** What a server supports, if it said so by error -32022. */
function supportedBy(error: unknown): readonly string[] | undefined {
  if (!ShelfError.is(error, 'server-error') || error.details.rpcCode !== -32_022) return undefined
  const data = error.details.data
  return isObject(data) && isStrings(data['supported']) ? data['supported'] : []
}

async function initialize(peer: RpcPeer, options: NegotiateOptions): Promise<ServerFacts> {
  const { info } = options
  const capabilities = Object.fromEntries(Object.entries(options.capabilities).filter(([name]) => !ASKED_BY_REQUEST.has(name)))
  const params = { protocolVersion: LATEST_LEGACY, capabilities, clientInfo: { name: info.name, version: info.version } }
  const result = await ask(peer, INITIALIZE.method, params, options, false, Infinity)
  const revision = result['protocolVersion']
  if (typeof revision !== 'string' || !isRevision(revision) || !isLegacy(revision)) {
    const shown = typeof revision === 'string' ? JSON.stringify(revision.slice(0, 40)) : typeof revision
    throw new ShelfError(
      'unsupported-version',
      `The server wants to speak revision ${shown} of the protocol, which this client does not know`,
      {
        supported: [shown],
        requested: LATEST_LEGACY,
      },
    )
  }
  peer.transport.setProtocolVersion?.(revision)
  await peer.notify(INITIALIZED.method)
  return serverFacts('legacy', revision, {
    capabilities: result['capabilities'],
    implementation: result['serverInfo'],
    instructions: result['instructions'],
  })
}

function ask(
  peer: RpcPeer,
  method: string,
  params: UncheckedObject,
  { until, clock, signal }: NegotiateOptions,
  modern: boolean,
  mostMs: number,
): Promise<UncheckedObject> {
  const timeoutMs = Math.max(1, Math.ceil(Math.min(mostMs, until + peer.waitedMs - clock.monotonic())))
  const cancelByStream = modern && peer.transport.hasPerRequestStream === true
  return peer.request(method, { method, params, timeoutMs, signal, cancelByStream, unsaid: true })
}

/** What says that a server was not reached, or does not want this client: `initialize` would fare no better. */
const NO_VERDICT: readonly ErrorCode[] = ['missing-capability', 'refused', 'unavailable', 'busy', 'too-large', 'cancelled']

/** Whether what `server/discover` was answered with lets one try `initialize`. */
function isLegacyVerdict(error: ShelfError): boolean {
  if (ShelfError.is(error, 'server-error') && MODERN_ERRORS.includes(error.details.rpcCode)) return false
  if (ShelfError.is(error, 'unsupported-version'))
    return error.details.supported.some((name) => isRevision(name) && isLegacy(name))
  return !NO_VERDICT.includes(error.code)
}
