import { notFound, ShelfError } from '../errors.ts'
import type { Call, Method, Outcome } from '../library/index.ts'
import type { MethodDescriptor } from '../protocol/index.ts'
import {
  DISCOVER,
  INITIALIZE,
  isLegacy,
  isLogLevel,
  LATEST_LEGACY,
  LISTEN,
  MODERN_REVISIONS,
  objectParam,
  PING,
  RESOURCES_SUBSCRIBE,
  RESOURCES_UNSUBSCRIBE,
  REVISIONS,
  SET_LEVEL,
  stringParam,
} from '../protocol/index.ts'
import type { Connection } from './connection.ts'
import { isImplementation } from './envelope.ts'
import { LegacySession } from './legacy-session.ts'
import { listen } from './listen.ts'
import { mayHear } from './modules/resources.ts'
import type { OpenExchange } from './open-exchange.ts'

/** A method that needs the connection itself; `on` is undefined where it is not offered. */
interface OwnMethod {
  readonly descriptor: MethodDescriptor
  on(connection: Connection, exchange: OpenExchange): Method | undefined
}

const EMPTY: Outcome = { kind: 'result', value: {} }

function own(
  descriptor: MethodDescriptor,
  run: (connection: Connection, exchange: OpenExchange) => Outcome | Promise<Outcome>,
  offered: (connection: Connection) => boolean = () => true,
): [string, OwnMethod] {
  return [
    descriptor.method,
    {
      descriptor,
      on: (connection, exchange) => (offered(connection) ? { descriptor, handle: () => run(connection, exchange) } : undefined),
    },
  ]
}

/** Methods of the connection: how it opens, what it hears of. All others are modules. */
export const OWN_METHODS: ReadonlyMap<string, OwnMethod> = new Map([
  own(INITIALIZE, initialize),
  own(PING, () => EMPTY),
  own(SET_LEVEL, setLevel, (connection) => connection.core.sendsLogs),
  own(DISCOVER, discover),
  own(LISTEN, listen),
  own(RESOURCES_SUBSCRIBE, subscribe, (connection) => connection.core.library.watches),
  own(RESOURCES_UNSUBSCRIBE, unsubscribe, (connection) => connection.core.library.watches),
])

/** Opens the legacy era on this connection (2025-11-25, basic/lifecycle). */
function initialize(connection: Connection, exchange: OpenExchange): Outcome {
  if (connection.legacy !== undefined) throw new ShelfError('invalid-request', 'This connection is initialized already', {})
  const { params } = exchange
  const asked = stringParam(params, 'protocolVersion')
  const clientCapabilities = objectParam(params, 'capabilities') ?? {}
  const { clientInfo } = params
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    throw new ShelfError('invalid-params', 'params.clientInfo must have a name and a version', { param: 'clientInfo' })
  }
  const revision = isLegacy(asked) && (!connection.http || REVISIONS[asked].http) ? asked : LATEST_LEGACY
  const { core } = connection
  const listener = core.listeners.open(callOf(connection, exchange))
  const topics = core.filters.flatMap(({ topic }) => topic ?? [])
  const armed = Promise.all(topics.map((topic) => listener.topic(topic)))
  connection.legacy = new LegacySession(revision, clientCapabilities, clientInfo, listener, armed)
  const { instructions } = core.library
  return {
    kind: 'result',
    value: {
      protocolVersion: revision,
      capabilities: core.capabilities(revision),
      serverInfo: core.serverInfo(revision),
      ...(instructions !== undefined && { instructions }),
    },
  }
}

/** What a connection hears of is for whoever it is then: its rights may change while it is open. */
function callOf(connection: Connection, exchange: OpenExchange): Call {
  return {
    get principal() {
      return connection.principal
    },
    get signal() {
      return exchange.signal
    },
    allows: (operation, uri) => connection.core.allows(connection.principal, operation, uri),
  }
}

function discover(connection: Connection, exchange: OpenExchange): Outcome {
  const { core } = connection
  const { instructions } = core.library
  return {
    kind: 'result',
    value: {
      supportedVersions: MODERN_REVISIONS,
      capabilities: core.capabilities(exchange.revision),
      ...(instructions !== undefined && { instructions }),
    },
  }
}

function setLevel(connection: Connection, exchange: OpenExchange): Outcome {
  const { level } = exchange.params
  if (!isLogLevel(level)) throw new ShelfError('invalid-params', 'params.level is not a log level', { param: 'level' })
  if (connection.legacy !== undefined) connection.legacy.logLevel = level
  return EMPTY
}

async function subscribe(connection: Connection, exchange: OpenExchange): Promise<Outcome> {
  const uri = stringParam(exchange.params, 'uri')
  const { core, legacy } = connection
  if (legacy === undefined) throw notFound(uri)
  const asking = legacy.ask(uri)
  try {
    if (!(await mayHear(core.library, core.data, uri, exchange))) throw notFound(uri)
    if (!core.library.tells(uri)) {
      throw new ShelfError('unsupported', 'Nothing tells of changes of this resource: read it again instead', {
        operation: exchange.method,
      })
    }
    if (!asking.takenBack && !(await legacy.listener.uri(uri))) {
      throw new ShelfError('busy', `One connection may subscribe to ${core.limits.urisPerListener} resources`, {})
    }
  } finally {
    legacy.answered(asking)
  }
  return EMPTY
}

function unsubscribe(connection: Connection, exchange: OpenExchange): Outcome {
  connection.legacy?.unsubscribe(stringParam(exchange.params, 'uri'))
  return EMPTY
}
