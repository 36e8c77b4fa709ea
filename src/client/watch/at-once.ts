/** Lets so much work be done at a time; what is more waits for its turn. */
export class AtOnce {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      // The turn is handed on, so that nobody takes it in between.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
