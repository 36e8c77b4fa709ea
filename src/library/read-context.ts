import type { Call, Principal } from './call.ts'
import type { Answers, ByteRange, ReadRequest } from './provider.ts'

/** What a read handler may want to know beside the values of its template. */
export class ReadContext {
  readonly #request: ReadRequest
  readonly #call: Call

  constructor(request: ReadRequest, call: Call) {
    this.#request = request
    this.#call = call
  }

  /** The URI as the caller wrote it. */
  get uri(): string {
    return this.#request.uri
  }

  /** Fires when the caller gave up: pass it on to whatever takes long. */
  get signal(): AbortSignal {
    return this.#call.signal
  }

  get principal(): Principal {
    return this.#call.principal
  }

  /**
   * The part of the body that is wanted. A handler may ignore it: the Library cuts the part out of the body that it
   * returns. One that reads only the part returns `{ kind: 'contents', contents, range: { offset, length, total } }`.
   */
  get range(): ByteRange | undefined {
    return this.#request.range
  }

  /** The version the caller holds; a handler may answer `{ kind: 'unchanged', version }`. */
  get ifVersion(): string | undefined {
    return this.#request.ifVersion
  }

  /** The most raw bytes that may be returned; with a range, the most that the part may have. */
  get maxBytes(): number {
    return this.#request.maxBytes
  }

  /** What was answered to an earlier `input-required`. */
  get answers(): Answers | undefined {
    return this.#request.answers
  }

  /** Tells the caller how far long work is, when it asked to know. */
  progress(done: number, total?: number): void {
    this.#call.progress?.(done, total)
  }
}
