import type { Call, Operation, Principal } from '../call.ts'
import type { AccessRules } from './access-rules.ts'

/** A Call inside the policy: whoever asks it, such as a provider for the object that it opened, is answered by the rules. */
export class AccessCall implements Call {
  readonly principal: Principal
  readonly progress?: (done: number, total?: number) => void
  readonly #outer: Call
  readonly #decide: (operation: Operation, uri: string) => boolean
  readonly #rules: AccessRules

  constructor(outer: Call, decide: (operation: Operation, uri: string) => boolean, rules: AccessRules) {
    this.principal = outer.principal
    this.#outer = outer
    this.#decide = decide
    this.#rules = rules
    if (outer.progress !== undefined) this.progress = (done, total) => outer.progress?.(done, total)
  }

  get signal(): AbortSignal {
    return this.#outer.signal
  }

  allows(operation: Operation, uri: string): boolean {
    return this.#outer.allows(operation, uri) && this.#decide(operation, uri)
  }

  reaches(operation: Operation, prefix: string): boolean {
    if (this.#outer.reaches?.(operation, prefix) === false) return false
    return this.#rules.of(this.principal).reaches(operation, prefix).allowed
  }
}
