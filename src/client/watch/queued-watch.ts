import { ShelfError } from '../../errors.ts'
import { settleable } from '../../library/index.ts'
import type { Watch, WatchEvent } from './watch.ts'
import { EventQueue } from './watch.ts'

/** What every watch is to its reader, whatever it follows: what waits to be read, whether it is armed, and its end. */
export abstract class QueuedWatch implements Watch {
  protected readonly queue = new EventQueue()
  readonly #armed = settleable<void>()

  constructor() {
    // Whoever only iterates hears of a failure there.
    this.#armed.promise.catch(() => undefined)
  }

  get ready(): Promise<void> {
    return this.#armed.promise
  }

  protected settleReady(): void {
    this.#armed.resolve()
  }

  /** Nothing more is told; with an error, the reader hears of it, and so does who waits for `ready`. */
  protected end(error?: ShelfError): void {
    this.queue.end(error)
    this.#armed.reject(error ?? new ShelfError('cancelled', 'The watch was closed before it was ready', {}))
  }

  abstract close(): void

  /** The client is closed. */
  over(): void {
    this.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent, void, undefined> {
    try {
      yield* this.queue
    } finally {
      this.close()
    }
  }
}
