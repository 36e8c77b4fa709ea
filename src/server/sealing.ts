import { ShelfError } from '../errors.ts'
import type { Answers, InputRequired, Position } from '../library/index.ts'
import type { Clock, JsonValue, Sealer, UncheckedObject } from '../protocol/index.ts'
import { isObject, objectParam } from '../protocol/index.ts'

/** Where a page stands: how many pages came before, and the position that the list gave. */
export interface PageMark {
  readonly index: number
  readonly after: Position
}

/** What clients carry for us, bound to the question, the caller and the server, and good for a while. */
export class Sealing {
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #server: string

  constructor(sealer: Sealer, clock: Clock, server: string) {
    this.#sealer = sealer
    this.#clock = clock
    this.#server = server
  }

  sealCursor(mark: PageMark, query: string, principal: string): string {
    return this.#sealer.seal(
      JSON.stringify([this.#clock.wall(), mark.index, mark.after]),
      this.#bound('cursor', query, principal),
    )
  }

  /** @throws ShelfError `invalid-cursor` for one that is forged, foreign, expired, or of another list or caller */
  openCursor(cursor: string, query: string, principal: string, ttlMs: number): PageMark {
    const fields = this.#open(cursor, this.#bound('cursor', query, principal), ttlMs)
    if (fields === undefined || typeof fields[1] !== 'number') throw new ShelfError('invalid-cursor', 'Invalid cursor', {})
    return { index: fields[1], after: fields[2] as Position }
  }

  sealState(state: JsonValue, request: string, principal: string): string {
    return this.#sealer.seal(JSON.stringify([this.#clock.wall(), state]), this.#bound('state', request, principal))
  }

  /** What a retry brings back (basic/patterns/mrtr). */
  openAnswers(params: UncheckedObject, request: string, principal: string, ttlMs: number): Answers {
    const { requestState } = params
    const responses = objectParam(params, 'inputResponses') ?? {}
    if (requestState === undefined) return { responses }
    const fields =
      typeof requestState === 'string' ? this.#open(requestState, this.#bound('state', request, principal), ttlMs) : undefined
    if (fields === undefined) {
      throw new ShelfError(
        'invalid-params',
        'params.requestState was not issued for this request, or is too old: start again without it',
        {
          param: 'requestState',
        },
      )
    }
    return { responses, state: fields[1] as JsonValue }
  }

  #bound(kind: string, subject: string, principal: string): string {
    return [kind, this.#server, principal, subject].join('\n')
  }

  #open(sealed: string, bound: string, ttlMs: number): readonly unknown[] | undefined {
    const plain = this.#sealer.open(sealed, bound)
    if (plain === undefined) return undefined
    const fields = JSON.parse(plain) as readonly unknown[]
    const age = this.#clock.wall() - Number(fields[0])
    return age >= -60_000 && age <= ttlMs ? fields : undefined
  }
}

/** The members of an `InputRequiredResult`; at least one of the two must be there. */
export function inputRequiredValue(outcome: InputRequired, seal: (state: JsonValue) => string): object {
  if (outcome.requests === undefined && outcome.state === undefined) {
    throw new ShelfError('internal', 'An input-required result needs requests, state or both', {})
  }
  return {
    ...(outcome.requests !== undefined && { inputRequests: outcome.requests }),
    ...(outcome.state !== undefined && { requestState: seal(outcome.state) }),
  }
}

/** Which client capability a request inside an input-required result needs. */
export function capabilitiesFor(outcome: InputRequired): UncheckedObject {
  const needed: Record<string, unknown> = {}
  for (const request of Object.values(outcome.requests ?? {})) {
    const capability = CAPABILITY_OF[request.method]
    if (capability === undefined) throw new ShelfError('internal', `${request.method} cannot be asked of a client`, {})
    needed[capability] = {}
  }
  return needed
}

const CAPABILITY_OF: { readonly [method: string]: string | undefined } = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/**
 * A request as text that is equal for its retry: the method and its parameters without what the retry adds. Of `_meta`,
 * which a retry may fill anew, only `metaKeys` count.
 */
export function requestIdentity(method: string, params: UncheckedObject, metaKeys: readonly string[]): string {
  const { _meta, inputResponses, requestState, ...rest } = params
  void [inputResponses, requestState]
  const kept = isObject(_meta) ? metaKeys.flatMap((key) => (_meta[key] === undefined ? [] : [[key, _meta[key]]])) : []
  return `${method} ${JSON.stringify(kept.length === 0 ? rest : [rest, kept], sortKeys)}`
}

function sortKeys(_key: string, value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value
}
