import type { Clock } from '../../protocol/index.ts'

/** Streams that are open, with a comment for each every so often. */
export class OpenStreams {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #all = new Set<{ keepAlive(): void }>()
  #stop: (() => void) | undefined

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  get size(): number {
    return this.#all.size
  }

  add(stream: { keepAlive(): void }): void {
    this.#all.add(stream)
    if (this.#stop === undefined) this.#commentLater()
  }

  delete(stream: { keepAlive(): void }): void {
    this.#all.delete(stream)
    if (this.#all.size > 0) return
    this.#stop?.()
    this.#stop = undefined
  }

  /** One timer, only while there are streams. */
  #commentLater(): void {
    this.#stop = this.#clock.after(this.#everyMs, () => {
      this.#commentLater()
      for (const stream of this.#all) stream.keepAlive()
    })
  }
}
