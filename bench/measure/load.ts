/** Requests that are kept coming until they are stopped. */
export interface Load {
  /** Answers so far, each of them checked. */
  readonly done: number
  /** What was wrong with an answer, or with the connection. */
  readonly failure: Error | undefined
  stop(): void
}

/** Ids of this many digits, so that every request and every answer has the same size. */
const DIGITS = 7
const FIRST = 10 ** (DIGITS - 1)

/** Stands in a prebuilt request where its id goes. */
export const ID_PLACE = 9_999_999

/** Ids one after the other; after nine million they begin again. */
export class Ids {
  #next = FIRST

  /** Writes the next id over the digits at a place. */
  patch(into: Buffer, at: number): void {
    let id = this.#next
    this.#next = id === ID_PLACE ? FIRST : id + 1
    for (let i = at + DIGITS - 1; i >= at; i--) {
      into[i] = 0x30 + (id % 10)
      id = Math.floor(id / 10)
    }
  }
}

/** Where the id stands in a prebuilt request. */
export function idPlace(request: Buffer): number {
  const at = request.indexOf(`"id":${ID_PLACE}`)
  if (at < 0) throw new Error('A prebuilt request holds the id that stands for all')
  return at + 5
}

/**
 * Keeps this process from sleeping while it runs. An answer that wakes its reader costs the server the wake-up, on a
 * virtual machine 20 to 30 microseconds; a server that is fast enough never lets the driver fall asleep, and would
 * seem faster than it is.
 */
export function stayAwake(): () => void {
  let awake = true
  const turn = (): void => {
    if (awake) setImmediate(turn)
  }
  turn()
  return () => {
    awake = false
  }
}
