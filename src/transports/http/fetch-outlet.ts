import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Outlet } from './outlet.ts'
import type { UnreadAnswer } from './unread.ts'

/** How many bytes may wait for the reader before the outlet is full. */
const ROOM = 64 * 1024

const encoder = new TextEncoder()

const UNCOUNTED: UnreadAnswer = { moved: () => undefined, gone: () => undefined }

/** How long a reader may take, and by which clock. */
export interface Stall {
  readonly clock: Clock
  readonly stallMs: number
}

/** The body of a Response, written at the pace of whoever reads it. */
export class FetchOutlet implements Outlet {
  readonly body: ReadableStream<Uint8Array>
  readonly #stall: Stall
  readonly #onGone: (() => void)[] = []
  readonly #onRoom: (() => void)[] = []
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #gone = false
  #whole = false
  #written = 0
  #stopWatching: (() => void) | undefined

  constructor(stall: Stall) {
    this.#stall = stall
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#letGo(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: ROOM, size: (chunk) => chunk.byteLength },
    )
  }

  get gone(): boolean {
    return this.#gone
  }

  /** It ended, and nobody broke it off. */
  get whole(): boolean {
    return this.#whole
  }

  get full(): boolean {
    return !this.#gone && this.#waiting >= ROOM
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#gone) return true
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    this.#written += bytes.byteLength
    this.#controller.enqueue(bytes)
    this.#watch()
    return !this.full
  }

  room(): Promise<void> {
    if (!this.full) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onRoom.push(resolve)
    })
  }

  end(): void {
    if (this.#gone) return
    this.#whole = true
    this.#controller.close()
    this.#leave()
  }

  break(reason: unknown = new ShelfError('unavailable', 'This body broke off', {})): void {
    if (this.#gone) return
    this.#controller.error(reason)
    this.#leave()
  }

  /** What waits for the reader of a Response is the web server's to bound. */
  hold(): UnreadAnswer {
    return UNCOUNTED
  }

  whenGone(call: () => void): void {
    this.#onGone.push(call)
  }

  /** Bytes that were written and not yet read. */
  get #waiting(): number {
    return ROOM - (this.#controller.desiredSize ?? ROOM)
  }

  /** Breaks it off when something waits and nothing was read for the whole of a stall. */
  #watch(): void {
    if (this.#stopWatching !== undefined || this.#waiting === 0) return
    const { clock, stallMs } = this.#stall
    const read = this.#written - this.#waiting
    this.#stopWatching = clock.after(stallMs, () => {
      this.#stopWatching = undefined
      if (this.#waiting === 0 || this.#written - this.#waiting > read) return this.#watch()
      this.break(new ShelfError('timeout', `The client has read nothing for ${stallMs} ms`, { afterMs: stallMs }))
    })
  }

  #leave(): void {
    this.#gone = true
    this.#stopWatching?.()
    this.#letGo()
    for (const call of this.#onGone.splice(0)) call()
  }

  #letGo(): void {
    for (const call of this.#onRoom.splice(0)) call()
  }
}
