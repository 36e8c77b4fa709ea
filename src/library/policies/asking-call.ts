import type { Call, Operation } from '../call.ts'

/** What a provider wanted to know of its caller, and was told. */
export interface Question {
  readonly about: 'allows' | 'reaches'
  readonly operation: Operation
  readonly uri: string
  readonly answer: boolean
}

/**
 * The Call of work that several may share. Its signal fires when all of them gave up; it writes down what the provider asks:
 * what comes of it may be had by whoever gets the same answers.
 */
export class AskingCall implements Call {
  readonly progress?: (done: number, total?: number) => void
  readonly #questions: Question[] = []
  readonly #outer: Call
  readonly #shared: AbortSignal
  #controller: AbortController | undefined

  constructor(outer: Call, shared: AbortSignal) {
    this.#outer = outer
    this.#shared = shared
    if (outer.progress !== undefined) this.progress = (done, total) => outer.progress?.(done, total)
  }

  get principal() {
    return this.#outer.principal
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = new AbortController()
    const follow = (): void => controller.abort(this.#shared.reason)
    if (this.#shared.aborted) follow()
    else this.#shared.addEventListener('abort', follow, { once: true })
    this.#controller = controller
    return controller.signal
  }

  /** Whether there is anybody to tell that the caller gave up. */
  get isFollowed(): boolean {
    return this.#controller !== undefined
  }

  /** The one caller that has what came of it gave up. */
  abort(reason: unknown): void {
    this.#controller?.abort(reason)
  }

  /** In the order they were asked. */
  get questions(): readonly Question[] {
    return this.#questions
  }

  allows(operation: Operation, uri: string): boolean {
    return this.#told('allows', operation, uri)
  }

  reaches(operation: Operation, prefix: string): boolean {
    return this.#told('reaches', operation, prefix)
  }

  #told(about: Question['about'], operation: Operation, uri: string): boolean {
    const answer = ask(this.#outer, about, operation, uri)
    this.#questions.push({ about, operation, uri, answer })
    return answer
  }
}

/** Whether another caller is told the same. */
export function isToldTheSame(call: Call, questions: readonly Question[]): boolean {
  return questions.every(({ about, operation, uri, answer }) => ask(call, about, operation, uri) === answer)
}

function ask(call: Call, about: Question['about'], operation: Operation, uri: string): boolean {
  return about === 'allows' ? call.allows(operation, uri) : (call.reaches?.(operation, uri) ?? true)
}
