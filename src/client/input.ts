import { ShelfError } from '../errors.ts'
import { unlessAborted } from '../library/index.ts'
import type { UncheckedObject } from '../protocol/index.ts'
import { isObject } from '../protocol/index.ts'

/** What a server wants to know before it gives a resource (basic/patterns/mrtr). */
export interface InputQuestion {
  readonly uri: string
  /** By key of the server's choosing: `elicitation/create`, `sampling/createMessage` or `roots/list`, with params. */
  readonly requests: { readonly [key: string]: { readonly method: string; readonly params: UncheckedObject } }
  /** 1 for the first question of a read. */
  readonly round: number
}

/**
 * Decides about a question: the result of each request by its key, or undefined to give the read up. It stands between
 * the server and a person: what is asked is the server's text.
 */
export type InputHandler = (question: InputQuestion) => Promise<UncheckedObject | undefined> | UncheckedObject | undefined

/** A server that asks more often than this is not answered any more. */
const MOST_ROUNDS = 8

/**
 * A read with its questions answered: the first result that is none. `ask` sends the read with what is added to its
 * parameters. The state of the server goes back as it came, and only with this read.
 */
export async function withInput(
  uri: string,
  onInput: InputHandler | undefined,
  ask: (more: UncheckedObject) => Promise<UncheckedObject>,
  signal?: AbortSignal,
): Promise<{ readonly result: UncheckedObject; readonly asked: boolean }> {
  let result = await ask({})
  for (let round = 1; result['resultType'] === 'input_required'; round++) {
    if (round > MOST_ROUNDS)
      throw new ShelfError('refused', `The server asked ${MOST_ROUNDS} times before it gave ${uri}; given up`, { uri })
    const requests = readRequests(result['inputRequests'])
    const state = result['requestState']
    const responses =
      Object.keys(requests).length === 0 ? {} : await unlessAborted(answers(uri, requests, round, onInput), signal)
    result = await ask({
      ...(Object.keys(responses).length > 0 && { inputResponses: responses }),
      ...(typeof state === 'string' && { requestState: state }),
    })
    if (result['resultType'] !== 'input_required') return { result, asked: true }
  }
  return { result, asked: false }
}

async function answers(
  uri: string,
  requests: InputQuestion['requests'],
  round: number,
  onInput: InputHandler | undefined,
): Promise<UncheckedObject> {
  const wanted = Object.values(requests).map(({ method }) => method.slice(0, 40))
  const responses = await onInput?.({ uri, requests, round })
  if (responses !== undefined) return responses
  throw new ShelfError(
    'refused',
    `The server wants an answer to ${wanted.slice(0, 5).join(', ')} before it gives ${uri}, and there is none`,
    { uri },
  )
}

/** The requests of a question; what is none is left out. */
export function readRequests(value: unknown): InputQuestion['requests'] {
  if (!isObject(value)) return {}
  const requests: Record<string, { method: string; params: UncheckedObject }> = {}
  for (const [key, request] of Object.entries(value)) {
    if (key === '__proto__' || !isObject(request) || typeof request['method'] !== 'string') continue
    requests[key] = { method: request['method'], params: isObject(request['params']) ? request['params'] : {} }
  }
  return requests
}
