import { ShelfError } from '../../errors.ts'

/** Questions in a row that one party may leave without an answer. */
const UNANSWERED = 3

/** Does not ask on and on whom it has no answer from: one party with many resources would have all others wait for hours. */
export class Patience {
  readonly #unanswered = new Map<string, number>()
  #isOver = false

  /** Whether something was not read since nobody was asked for it. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Asks a server, or whoever a resource is from, unless its last three answers to this kind of question did not come in time.
   *
   * @throws ShelfError `unavailable` where it is not asked; what `ask` throws
   */
  async ask<T>(kind: 'read' | 'stat' | 'watch', party: string, ask: () => Promise<T>): Promise<T> {
    const key = `${kind} ${party}`
    const before = this.#unanswered.get(key) ?? 0
    if (before >= UNANSWERED) {
      this.#isOver ||= kind === 'read'
      throw new ShelfError('unavailable', `${before} questions before this one had no answer in time`, {})
    }
    try {
      const answer = await ask()
      this.#unanswered.delete(key)
      return answer
    } catch (error) {
      if (ShelfError.is(error, 'timeout')) this.#unanswered.set(key, (this.#unanswered.get(key) ?? 0) + 1)
      else this.#unanswered.delete(key)
      throw error
    }
  }

  /** Everybody is asked again. */
  restore(): void {
    this.#unanswered.clear()
    this.#isOver = false
  }
}
