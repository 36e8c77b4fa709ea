import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import { Gathered } from '../../runtime/index.ts'
import { REQUEST_MS } from './options.ts'
import { bodyTooLarge } from './refusal.ts'
import type { Refusal } from './refusal.ts'

/** The body of a Request while it arrives. */
export class FetchBody {
  readonly #reader: ReadableStreamDefaultReader<unknown>
  readonly #limit: number
  readonly #clock: Clock
  #done = false

  /** @param limit the most bytes it may have */
  constructor(body: ReadableStream<unknown>, limit: number, clock: Clock) {
    this.#reader = body.getReader()
    this.#limit = limit
    this.#clock = clock
  }

  /** Takes no more of it: nobody waits for it. */
  stop(): void {
    if (this.#done) return
    this.#done = true
    this.#reader.cancel().catch(() => undefined)
  }

  /** All of it, or why it is refused. Bytes that are not UTF-8 become text that is not JSON. */
  async text(): Promise<string | Refusal> {
    let late = false
    const stopTimer = this.#clock.after(REQUEST_MS, () => {
      late = true
      this.stop()
    })
    try {
      const bytes = await this.#bytes()
      if (late) return tooLate()
      return bytes === undefined ? bodyTooLarge(this.#limit) : decode(bytes)
    } catch {
      return late ? tooLate() : brokenOff()
    } finally {
      stopTimer()
      this.#done = true
    }
  }

  /** Undefined for more than the limit. The rest stays where it is: some web servers close the connection of a body that is cancelled. */
  async #bytes(): Promise<Uint8Array | undefined> {
    const gathered = new Gathered()
    for (let next = await this.#reader.read(); !next.done; next = await this.#reader.read()) {
      const chunk = next.value
      if (!(chunk instanceof Uint8Array)) throw new TypeError('A body is made of bytes')
      gathered.add(chunk)
      if (gathered.size > this.#limit) {
        this.#reader.releaseLock()
        return undefined
      }
    }
    return gathered.take()
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return '\0'
  }
}

function tooLate(): Refusal {
  const message = `The body took longer than ${REQUEST_MS} ms`
  return { status: 408, error: new ShelfError('timeout', message, { afterMs: REQUEST_MS }) }
}

function brokenOff(): Refusal {
  return { status: 400, error: new ShelfError('parse-error', 'The body broke off', {}) }
}
