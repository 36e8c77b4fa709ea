import { isObject } from '../../protocol/index.ts'
import type { ShelfError } from '../../errors.ts'

/** One message that is sent, and what becomes of it. */
export interface Exchange {
  /** Undefined for what has no answer: a notification, an answer. */
  readonly id: string | number | undefined
  /** The method; `answer` for an answer. */
  readonly method: string
  readonly signal: AbortSignal | undefined
  answered: boolean
  /** Its answer comes in a stream, which goes on when it has been sent. */
  streams: boolean
  /** Ends its stream. */
  leave: (() => void) | undefined
  /** Why its stream broke off. */
  failure: ShelfError | undefined
  /** The latest event of its stream that has an id: the stream can be taken up after it. */
  lastEvent: string | undefined
  /** Called when nobody waits for its answer any more. */
  forget: (() => void) | undefined
  /** Called when its stream broke off for a reason that taking it up again would not change. */
  lost: (() => void) | undefined
}

export function openExchange(message: unknown, signal: AbortSignal | undefined): Exchange {
  const { id, method } = isObject(message) ? message : { id: undefined, method: undefined }
  const named = typeof method === 'string'
  return {
    id: named && (typeof id === 'string' || typeof id === 'number') ? id : undefined,
    method: named ? method : 'answer',
    signal,
    answered: false,
    streams: false,
    leave: undefined,
    failure: undefined,
    lastEvent: undefined,
    forget: undefined,
    lost: undefined,
  }
}
