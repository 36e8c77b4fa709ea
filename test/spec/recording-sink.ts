import type { Piece } from '../../src/library/index.ts'
import type { Failure, Frame, Sink } from '../../src/server/index.ts'

interface Recorded {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A sink that keeps what it was given, decoded. */
export class RecordingSink implements Sink {
  readonly maxFrame: number
  readonly messages: Recorded[] = []
  readonly failures: Failure[] = []
  dropped = 0
  /** While true, notifications are taken but the channel counts as full. */
  full = false
  #room: (() => void)[] = []

  constructor(maxFrame = 1_000_000) {
    this.maxFrame = maxFrame
  }

  get notifications(): readonly Recorded[] {
    return this.messages.filter((message) => message.method !== undefined)
  }

  get responses(): readonly Recorded[] {
    return this.messages.filter((message) => message.method === undefined)
  }

  notify(frame: Frame): void | Promise<void> {
    this.#keep(frame)
    if (!this.full) return undefined
    return new Promise((resolve) => {
      this.#room.push(resolve)
    })
  }

  respond(frame: Frame, failure?: Failure): void {
    if (failure !== undefined) this.failures.push(failure)
    this.#keep(frame)
  }

  drop(): void {
    this.dropped++
  }

  drain(): void {
    this.full = false
    for (const resolve of this.#room.splice(0)) resolve()
  }

  #keep(frame: Frame): void {
    const text = typeof frame === 'string' ? frame : frame.map(textOf).join('')
    const value = JSON.parse(text) as Recorded | Recorded[]
    this.messages.push(...(Array.isArray(value) ? value : [value]))
  }
}

/** A piece as text; a stream is not read here. */
function textOf(piece: Piece): string {
  if (typeof piece === 'string') return piece
  return piece.bytes instanceof Uint8Array ? Buffer.from(piece.bytes).toString('base64') : 'STREAM'
}

/** Lets everything that is ready happen. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 5)
  })
}
