import { gaveUp, unlessAborted } from './unless-aborted.ts'

interface Flight {
  readonly work: Promise<unknown>
  readonly controller: AbortController
  waiting: number
  settled: boolean
  /** Whether anybody got the result. */
  received: boolean
}

/** Work that several want at the same time is done once; it is stopped when all of them have given up. */
export class SharedWork {
  readonly #flights = new Map<string, Flight>()

  /**
   * @param begin the work; it may ask how many wait for it
   * @param unwanted gets a result that came when all had given up
   */
  async join<T>(
    key: string,
    signal: AbortSignal | undefined,
    begin: (signal: AbortSignal, waiting: () => number) => Promise<T>,
    unwanted?: (result: T) => void,
  ): Promise<T> {
    if (signal?.aborted === true) throw gaveUp()
    const flight = this.#flights.get(key) ?? this.#begin(key, begin)
    flight.waiting++
    try {
      const result = (await unlessAborted(flight.work, signal)) as T
      flight.received = true
      return result
    } finally {
      if (--flight.waiting === 0) {
        this.#end(key, flight)
        if (!flight.received && unwanted !== undefined) {
          flight.work.then(
            (result) => unwanted(result as T),
            () => undefined,
          )
        }
      }
    }
  }

  #begin(key: string, begin: (signal: AbortSignal, waiting: () => number) => Promise<unknown>): Flight {
    const controller = new AbortController()
    // The work may end before there is anything to look up.
    const held: { flight?: Flight } = {}
    const work = begin(controller.signal, () => held.flight?.waiting ?? 1)
    const flight: Flight = { work, controller, waiting: 0, settled: false, received: false }
    held.flight = flight
    // Whoever waits hears of a failure; with nobody waiting there is none to hear.
    flight.work
      .catch(() => undefined)
      .finally(() => {
        flight.settled = true
      })
    this.#flights.set(key, flight)
    return flight
  }

  /** Done, or wanted by nobody: the next who asks begins anew. */
  #end(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
    // An abort makes an exception with a stack, which costs more than the rest of this.
    if (!flight.settled) flight.controller.abort()
  }
}
