import type { ShelfError } from '../../errors.ts'
import type { UncheckedObject } from '../../protocol/index.ts'
import { isObject } from '../../protocol/index.ts'

/** What became of a request, as the server said it. */
export type RawAnswer =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: unknown }
  /** No answer in time. */
  | { readonly kind: 'silent'; readonly id: number; readonly reason: string }
  /** The request was not taken, or its connection broke off. */
  | { readonly kind: 'lost'; readonly id: number; readonly reason: ShelfError }

/** The result of an answer, if it is one and is complete. */
export function resultOf(answer: RawAnswer): UncheckedObject | undefined {
  if (answer.kind !== 'result' || !isObject(answer.result)) return undefined
  const type = answer.result['resultType']
  return type === undefined || type === 'complete' ? answer.result : undefined
}

/** The number of an error, if the answer is one that has one. */
export function codeOf(answer: RawAnswer): number | undefined {
  if (answer.kind !== 'error' || !isObject(answer.error)) return undefined
  const { code } = answer.error
  return typeof code === 'number' ? code : undefined
}

/** Numbers that JSON-RPC and the protocol give a meaning; others are the server's own. */
export function isReserved(code: number): boolean {
  return code >= -32_768 && code <= -32_000
}

/** What became of a request, in a few words. */
export function said(answer: RawAnswer): string {
  switch (answer.kind) {
    case 'result':
      return 'is answered with a result'
    case 'error': {
      const code = codeOf(answer)
      return code === undefined ? 'is answered with an error' : `is answered with error ${code}`
    }
    case 'silent':
      return `gets ${answer.reason}`
    case 'lost':
      return `is not answered: ${answer.reason.message}`
  }
}

/** What of an answer is shown as evidence. */
export function shownOf(answer: RawAnswer): unknown {
  if (answer.kind === 'result') return answer.result
  return answer.kind === 'error' ? answer.error : undefined
}
