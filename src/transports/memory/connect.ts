import { ShelfError } from '../../errors.ts'
import type { Library, Principal } from '../../library/index.ts'
import { LOCAL } from '../../library/index.ts'
import { base64Chunks, processDefaults } from '../../runtime/index.ts'
import type { Engine, EngineOptions, Frame, Peer, Sink } from '../../server/index.ts'
import { openEngine } from '../../server/index.ts'

export interface MemoryOptions extends Partial<EngineOptions> {
  /** Who the client is. Default: the local user. */
  readonly principal?: Principal
  /** The longest message, in bytes. Default 64 MiB. */
  readonly maxFrame?: number
}

// oxlint-disable-next-line typescript/no-explicit-any -- clients of two packages assign here, each with a message type of its own
type OnMessage = (message: any) => void

/**
 * The client's end of a connection inside this process. It has the form that the official clients take as a
 * transport, so `await client.connect(connectMemory(library))` is all there is to do.
 */
export interface MemoryTransport {
  onmessage?: OnMessage | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  start(): Promise<void>
  send(message: unknown): Promise<void>
  /** Ends the connection. The Library stays open: it was not made here. */
  close(): Promise<void>
}

/** Connects a client to a Library without a wire: every message is still encoded and decoded, as on any other. */
export function connectMemory(library: Library, options: MemoryOptions = {}): MemoryTransport {
  return new OpenMemoryTransport(library, options)
}

const MAX_FRAME = 64 * 1024 * 1024

class OpenMemoryTransport implements MemoryTransport {
  onmessage?: OnMessage | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  readonly #library: Library
  readonly #options: MemoryOptions
  readonly #channel: Sink
  #engine: Promise<Engine> | undefined
  #peer: Peer | undefined
  #closed = false
  /** Messages leave in order, also those whose bytes must be read first. */
  #last: Promise<void> = Promise.resolve()

  constructor(library: Library, options: MemoryOptions) {
    this.#library = library
    this.#options = options
    const deliver = (frame: Frame): Promise<void> => {
      const delivered = this.#last.then(() => this.#deliver(frame))
      this.#last = delivered.catch(() => undefined)
      return delivered
    }
    this.#channel = { maxFrame: options.maxFrame ?? MAX_FRAME, notify: deliver, respond: deliver, drop: () => undefined }
  }

  async start(): Promise<void> {
    const { principal = LOCAL } = this.#options
    this.#engine ??= openEngine(this.#library, { ...processDefaults(), ...this.#options })
    const opened = await this.#engine
    if (this.#peer !== undefined) return
    this.#peer = opened.openPeer({ principal })
    this.#peer.attach(this.#channel)
  }

  async send(message: unknown): Promise<void> {
    await this.start()
    if (this.#closed) throw new ShelfError('unavailable', 'The connection is closed', {})
    this.#peer?.receiveText(JSON.stringify(message), this.#channel)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#peer?.close()
    // An engine that never opened has nothing to close.
    const engine = await this.#engine?.catch(() => undefined)
    await engine?.close()
    this.onclose?.()
  }

  /** Rejects when the bytes of a message run out half-way: the client is then answered with an error instead. */
  async #deliver(frame: Frame): Promise<void> {
    const text = typeof frame === 'string' ? frame : await join(frame)
    if (this.#closed) return
    try {
      this.onmessage?.(JSON.parse(text))
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

async function join(frame: Exclude<Frame, string>): Promise<string> {
  let text = ''
  for (const piece of frame) {
    if (typeof piece === 'string') text += piece
    else for await (const chunk of base64Chunks(piece.bytes)) text += chunk.toString('latin1')
  }
  return text
}
