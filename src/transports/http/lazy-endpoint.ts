import { ShelfError } from '../../errors.ts'
import type { Library } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import { openEndpoint } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { EndpointLimits, EndpointOptions } from './options.ts'
import type { Reporter } from './reporter.ts'
import type { Sessions } from './sessions.ts'

/** How long a Library that could not be started is left alone, in milliseconds. */
export const RETRY_MS = 1_000

/** An Endpoint that opens when it is first asked for: some runtimes allow neither timers nor randomness before a request. */
export class LazyEndpoint {
  readonly #library: Library
  readonly #options: EndpointOptions
  readonly #limits: EndpointLimits
  readonly #clock: Clock
  readonly #report: Reporter
  #opening: Promise<Endpoint> | undefined
  #opened: Endpoint | undefined
  #closed = false

  constructor(library: Library, options: EndpointOptions, limits: EndpointLimits, clock: Clock, report: Reporter) {
    this.#library = library
    this.#options = options
    this.#limits = limits
    this.#clock = clock
    this.#report = report
  }

  /** Undefined until it is open. */
  get sessions(): Sessions | undefined {
    return this.#opened?.sessions
  }

  /** Rejects when the Library cannot be started. That is reported, is so for all for a second, and is then tried again. */
  open(): Promise<Endpoint> {
    if (this.#closed) return Promise.reject(new ShelfError('unavailable', 'This handler is closed', {}))
    if (this.#opening !== undefined) return this.#opening
    const opening = openEndpoint(this.#library, this.#options, this.#limits)
    this.#opening = opening
    opening.then(
      (endpoint) => {
        this.#opened = endpoint
      },
      (error: unknown) => {
        this.#report(error, 'starting the Library')
        this.#clock.after(RETRY_MS, () => {
          this.#opening = undefined
        })
      },
    )
    return opening
  }

  /** Ends listen streams with their results, once it is open if it is about to be. Nothing opens after this. */
  async close(): Promise<void> {
    this.#closed = true
    const endpoint = await this.#opening?.catch(() => undefined)
    await endpoint?.endListening()
  }
}
