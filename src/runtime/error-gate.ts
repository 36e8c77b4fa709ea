import { ShelfError } from '../errors.ts'

const EVERY_MS = 1_000

/**
 * Reports what may come a million times: the first at once, then at most one a second, which says how many there were
 * meanwhile.
 */
export class ErrorGate {
  readonly #report: (error: ShelfError) => void
  #held = 0
  #last: ShelfError | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(report: (error: ShelfError) => void) {
    this.#report = report
  }

  /** How many wait for the next report: those of the last second. */
  get held(): number {
    return this.#held
  }

  push(error: ShelfError): void {
    if (this.#timer === undefined) {
      this.#wait()
      this.#report(error)
      return
    }
    this.#held++
    this.#last = error
  }

  /** Reports what was held back, and no more after that. */
  close(): void {
    clearTimeout(this.#timer)
    this.#flush()
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#flush()) this.#wait()
    }, EVERY_MS).unref()
  }

  #flush(): boolean {
    const [count, last] = [this.#held, this.#last]
    this.#held = 0
    this.#last = undefined
    if (last === undefined) return false
    const message = count === 1 ? last.message : `${last.message} (the last of ${count} since the report before)`
    this.#report(new ShelfError(last.code, message, last.details))
    return true
  }
}
