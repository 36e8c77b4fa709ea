import { onTestFinished } from 'vitest'
import type { ClientTransport, SendOptions } from '../src/client/index.ts'

export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A connection, and all that came over it; closed with the test. */
export class Talk<T extends ClientTransport = ClientTransport> {
  readonly wire: T
  readonly messages: Message[] = []
  readonly errors: Error[] = []
  closes = 0
  #next = 1
  readonly #waiting = new Set<() => void>()

  constructor(wire: T) {
    this.wire = wire
    Object.assign(wire, {
      onmessage: (message: Message) => {
        this.messages.push(message)
        this.#tell()
      },
      onerror: (error: Error) => {
        this.errors.push(error)
        this.#tell()
      },
      onclose: () => {
        this.closes++
        this.#tell()
      },
    })
    onTestFinished(() => wire.close())
  }

  /** What `find` gives once it gives something, asked again whenever something comes. */
  until<F>(find: () => F | undefined | false): Promise<F> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = find()
        if (found === undefined || found === false) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** The answer to a request; rejects when it cannot be sent. */
  async ask(method: string, params: object = {}, options?: SendOptions): Promise<Message> {
    const id = this.#next++
    await this.wire.send({ jsonrpc: '2.0', id, method, params }, options)
    return await this.until(() => this.messages.find((message) => message.id === id && message.method === undefined))
  }

  /** A legacy handshake; gives the result of `initialize`. */
  async initialize(protocolVersion = '2025-11-25'): Promise<Record<string, unknown>> {
    const { result } = await this.ask('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'talk', version: '1.0.0' },
    })
    this.wire.setProtocolVersion?.(String(result?.['protocolVersion']))
    await this.wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return result ?? {}
  }

  closed(): Promise<true> {
    return this.until(() => this.closes > 0 || undefined).then(() => true)
  }

  #tell(): void {
    for (const look of this.#waiting) look()
  }
}

/** A connection that is started. */
export async function talk<T extends ClientTransport>(wire: T): Promise<Talk<T>> {
  const opened = new Talk(wire)
  await wire.start()
  return opened
}

/** What a modern request carries. */
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
