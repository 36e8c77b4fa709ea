import type { Change } from './provider.ts'

/** Tells everyone who listens of a change. What one of them throws comes after the others have heard. */
export class Feed {
  readonly #listeners = new Set<(change: Change) => void>()

  listen(onChange: (change: Change) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  emit(change: Change): void {
    const failures: unknown[] = []
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
