import type { Change } from './provider.ts'

/** Tells everyone who listens of a change; a listener that throws does not keep the others from hearing. */
export class Feed {
  readonly #listeners = new Set<(change: Change) => void>()

  listen(onChange: (change: Change) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  emit(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}
