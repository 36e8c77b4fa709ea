import type { ShelfError } from '../../errors.ts'
import type { Call } from '../call.ts'
import { offAbort, onAbort } from '../on-abort.ts'

/**
 * A Call whose signal also fires when its time is over. Its own signal is made when it is first asked for, and only then
 * does it listen to that of the caller.
 */
export class TimedCall implements Call {
  readonly reaches?: NonNullable<Call['reaches']>
  readonly progress?: (done: number, total?: number) => void
  readonly #outer: Call
  #controller: AbortController | undefined
  #reason: ShelfError<'timeout'> | undefined
  #untimed = false

  constructor(outer: Call) {
    this.#outer = outer
    if (outer.reaches !== undefined) this.reaches = (operation, prefix) => outer.reaches?.(operation, prefix) ?? true
    if (outer.progress !== undefined) this.progress = (done, total) => outer.progress?.(done, total)
  }

  get principal() {
    return this.#outer.principal
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    if (this.#untimed) return this.#outer.signal
    this.#controller = new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    else if (this.#outer.signal.aborted) this.#follow()
    else onAbort(this.#outer.signal, this.#follow)
    return this.#controller.signal
  }

  allows(...asked: Parameters<Call['allows']>): boolean {
    return this.#outer.allows(...asked)
  }

  /** The time is over. */
  expire(reason: ShelfError<'timeout'>): void {
    this.#reason = reason
    this.#controller?.abort(reason)
    this.release()
  }

  /** There is no time any more: from now on only the caller can give up. */
  untime(): void {
    this.#untimed = this.#reason === undefined
  }

  /** Whether it listens to the signal of the caller. */
  get follows(): boolean {
    return this.#controller !== undefined
  }

  /** Listens to the caller no longer. */
  release(): void {
    if (this.#controller !== undefined) offAbort(this.#outer.signal, this.#follow)
  }

  readonly #follow = (): void => this.#controller?.abort(this.#outer.signal.reason)
}
