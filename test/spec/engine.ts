import type { Library } from '../../src/index.ts'
import { LOCAL } from '../../src/library/index.ts'
import { systemClock } from '../../src/library/index.ts'
import { createSealer } from '../../src/runtime/index.ts'
import type { Engine, EngineOptions, Peer } from '../../src/server/index.ts'
import { openEngine } from '../../src/server/index.ts'
import { RecordingSink, settle } from './recording-sink.ts'

export const MODERN = '2026-07-28'

/** `_meta` of a modern request. */
export function envelope(more: Record<string, unknown> = {}, capabilities: object = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  }
}

/** One connection to an engine, and what comes out of it. */
export class Connection {
  readonly engine: Engine
  readonly peer: Peer
  readonly sink: RecordingSink
  #id = 1000

  constructor(engine: Engine, maxFrame?: number) {
    this.engine = engine
    this.sink = new RecordingSink(maxFrame)
    this.peer = engine.openPeer({ principal: LOCAL })
    this.peer.attach(this.sink)
  }

  /** Sends any value as a message and gives what was answered since. */
  async send(value: unknown) {
    const before = this.sink.messages.length
    this.peer.receive(value, this.sink)
    await settle()
    return this.sink.messages.slice(before)
  }

  async modern(method: string, params: Record<string, unknown> = {}, capabilities: object = {}) {
    const id = this.#id++
    this.peer.receive({ jsonrpc: '2.0', id, method, params: { _meta: envelope({}, capabilities), ...params } }, this.sink)
    await settle()
    return this.sink.responses.find((message) => message.id === id)
  }

  async legacy(method: string, params: Record<string, unknown> = {}) {
    const id = this.#id++
    this.peer.receive({ jsonrpc: '2.0', id, method, params }, this.sink)
    await settle()
    return this.sink.responses.find((message) => message.id === id)
  }

  async initialize(protocolVersion = '2025-11-25', capabilities: object = {}) {
    const answer = await this.legacy('initialize', { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } })
    this.peer.receive({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.sink)
    await settle()
    return answer
  }
}

/** Connects to a Library; the engine closes with the test. */
export async function connect(library: Library, options: Partial<EngineOptions> = {}, maxFrame?: number): Promise<Connection> {
  const engine = await openEngine(library, { sealer: createSealer(), clock: systemClock, ...options })
  return new Connection(engine, maxFrame)
}
