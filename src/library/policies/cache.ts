import { notFound, ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import { uriKey } from '../../uri/index.ts'
import type { Call } from '../call.ts'
import { systemClock } from '../clock.ts'
import type { Policy, PolicyNext, PolicyStep } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import type { Provider, ReadResult } from '../provider.ts'
import { SharedWork } from '../shared-work.ts'
import { letGo } from '../let-go.ts'
import type { Question } from './asking-call.ts'
import { AskingCall, isToldTheSame } from './asking-call.ts'
import { CacheStore } from './cache-store.ts'
import type { Dependence, KeptAnswer } from './cache-store.ts'
import { streams, untilDisposed } from './held-reading.ts'
import { answerFrom, hintOf, shareable, urisOf } from './kept-answer.ts'
import { LONGEST_MS, requireLimit } from './limit-option.ts'
import { Listened } from './listened.ts'
import { principalKey } from './principal-key.ts'

export interface CacheOptions {
  /** About how many bytes are kept in all. What was used longest ago goes; what is more than a quarter is not kept. Default 32 MiB. */
  readonly maxBytes?: number
  /** How long answers are kept that do not say so themselves, in milliseconds. Default 0. */
  readonly ttlMs?: number
  /** How long it is kept that there is nothing, in milliseconds. Default 0. */
  readonly notFoundMs?: number
  /**
   * Whether a read or stat of a URI that somebody listens to is kept until its change is told, however long that is. For a
   * policy round a mount whose provider tells of every change of what can be listened to. Default false.
   */
  readonly untilChanged?: boolean
  /** Default: the clock of this machine. Only its monotonic time counts. */
  readonly clock?: Clock
}

/** A provider that answers are of. */
interface Place {
  readonly id: number
  readonly listened: Listened
}

/** One operation of one caller. */
interface Inquiry {
  readonly step: PolicyStep
  readonly call: Call
  readonly next: PolicyNext<unknown>
  readonly place: Place
  /** Under what its answer is kept, for its principal or for everybody. */
  readonly forOne: string
  readonly forAll: string
}

/** What came from a provider: for all who are told the same, or for the first who takes it. */
type Fetched =
  | { readonly shared: Omit<KeptAnswer, 'freshUntil'> & { readonly value: object }; readonly ttlMs: number }
  | { readonly alone: object; readonly asking: AskingCall; taken: boolean }
  | { readonly failure: unknown; readonly questions: readonly Question[] }

/**
 * Keeps what a provider answered, for as long as the answer or `ttlMs` says, until a change of it is heard, and for each
 * principal apart unless the answer is `public`. What several ask at the same time is asked once.
 *
 * Kept are lists, templates, reads, stats, directories and completions; never questions, errors, parts, and pages with
 * notices. Of an answer to which the provider asked what the caller may do, that is asked again of each caller.
 *
 * @throws ShelfError `invalid-option` for a limit that is none
 */
export function cache(options: CacheOptions = {}): Policy {
  const ttlMs = requireLimit('ttlMs', options.ttlMs ?? 0, 0, LONGEST_MS)
  const notFoundMs = requireLimit('notFoundMs', options.notFoundMs ?? 0, 0, LONGEST_MS)
  const store = new CacheStore(options.maxBytes ?? 32 * 1024 * 1024, options.clock ?? systemClock)
  const cached = new Cached(store, { ttlMs, notFoundMs })
  return definePolicy({
    name: 'cache',
    around: (step, call, next) => cached.answer(step, call, next) as ReturnType<typeof next>,
    hearing: (change) => store.hear(change),
    ...(options.untilChanged === true && {
      watching: async (provider, watch) => cached.placeOf(provider).listened.following(await watch()),
    }),
  })
}

class Cached {
  readonly #store: CacheStore
  readonly #times: { readonly ttlMs: number; readonly notFoundMs: number }
  readonly #places = new WeakMap<Provider, Place>()
  readonly #flights = new SharedWork()
  #lastPlace = 0

  constructor(store: CacheStore, times: { readonly ttlMs: number; readonly notFoundMs: number }) {
    this.#store = store
    this.#times = times
  }

  placeOf(provider: Provider): Place {
    let place = this.#places.get(provider)
    if (place === undefined) this.#places.set(provider, (place = { id: ++this.#lastPlace, listened: new Listened() }))
    return place
  }

  async answer(step: PolicyStep, call: Call, next: PolicyNext<unknown>): Promise<unknown> {
    const who = principalKey(call.principal)
    if (who === undefined || (step.operation === 'read' && step.request.answers !== undefined)) return next()
    const place = this.placeOf(step.provider)
    const question = `${place.id} ${step.operation} ${JSON.stringify(questionOf(step))}`
    const inquiry: Inquiry = { step, call, next, place, forOne: `${who} ${question}`, forAll: ` ${question}` }
    const kept = this.#find(inquiry.forOne, inquiry) ?? this.#find(inquiry.forAll, inquiry)
    if (kept !== undefined) {
      if (kept.value === undefined) throw notFound(step.uri ?? '')
      return answerFrom(step, kept.value, kept.freshUntil - this.#store.now)
    }
    // A part is not kept, and other callers want other parts.
    return step.operation === 'read' && step.request.range !== undefined ? next() : this.#ask(inquiry)
  }

  #find(key: string, { step, place, call }: Inquiry): KeptAnswer | undefined {
    const kept = this.#store.find(key, step.uri === undefined ? undefined : place.listened.get(uriKey(step.uri)))
    return kept !== undefined && isToldTheSame(call, kept.questions) ? kept : undefined
  }

  async #ask(inquiry: Inquiry): Promise<unknown> {
    const { step, call, forOne } = inquiry
    const fetch = (signal: AbortSignal, waiting: () => number): Promise<Fetched> =>
      this.#fetch(inquiry, new AskingCall(call, signal), waiting)
    // Progress is told to one caller.
    if (call.progress !== undefined) return take(inquiry, await fetch(call.signal, () => 1))
    const flight = JSON.stringify([this.#store.changes, forOne, step.request])
    const fetched = await this.#flights.join(flight, call.signal, fetch, (unwanted) => {
      if ('alone' in unwanted && !unwanted.taken) letGo(unwanted.alone)
    })
    return take(inquiry, fetched)
  }

  async #fetch(inquiry: Inquiry, asking: AskingCall, waiting: () => number): Promise<Fetched> {
    const { step, place, next, forOne, forAll } = inquiry
    const listening = mayBeListenedTo(step) ? place.listened.get(uriKey(step.uri ?? '')) : undefined
    const meanwhile = this.#store.begin()
    try {
      const result = (await next(asking)) as object
      const said = hintOf(step, result)
      const ttlMs = said === undefined ? 0 : ttlOf(said.hint?.ttlMs, this.#times.ttlMs)
      const isWatched = said !== undefined && listening !== undefined
      if (ttlMs === 0 && !isWatched && waiting() < 2) return { alone: result, asking, taken: false }
      const copy = await shareable(step, result, this.#store.largest, asking)
      if (copy === undefined) return { alone: result, asking, taken: false }
      const uris = urisOf(step, copy.value)
      const { questions } = asking
      // What comes with it under other URIs is not listened to.
      const holds = isWatched && uris.length === 1 && listening === place.listened.get(uris[0]!)
      const shared = {
        value: copy.value,
        bytes: copy.bytes + bytesOf(forOne, questions, uris),
        ofSet: !mayBeListenedTo(step),
        uris,
        questions,
        ...(holds && { listening }),
      }
      if ((ttlMs > 0 || holds) && !meanwhile.changed(shared)) {
        const key = said?.hint?.cacheScope === 'public' ? forAll : forOne
        this.#store.keep(key, { ...shared, freshUntil: this.#store.now + ttlMs })
      }
      return { shared, ttlMs }
    } catch (error) {
      this.#keepAbsence(inquiry, error, asking.questions, meanwhile.changed)
      return { failure: error, questions: asking.questions }
    } finally {
      meanwhile.end()
    }
  }

  #keepAbsence(
    { step, forOne }: Inquiry,
    error: unknown,
    questions: readonly Question[],
    changed: (what: Dependence) => boolean,
  ): void {
    const { notFoundMs } = this.#times
    const { uri, operation } = step
    if (notFoundMs === 0 || uri === undefined || operation === 'complete' || !ShelfError.is(error, 'not-found')) return
    const absence: Dependence = { ofSet: true, uris: [uriKey(uri)] }
    if (changed(absence)) return
    const bytes = bytesOf(forOne, questions, absence.uris)
    this.#store.keep(forOne, { ...absence, bytes, questions, freshUntil: this.#store.now + notFoundMs })
  }
}

/** Whoever comes too late for what only one can have, or may not have what others may, asks for itself. */
function take({ step, call, next }: Inquiry, fetched: Fetched): unknown {
  if ('shared' in fetched) {
    const { shared, ttlMs } = fetched
    return isToldTheSame(call, shared.questions) ? answerFrom(step, shared.value, ttlMs) : next()
  }
  if ('failure' in fetched) {
    if (!isToldTheSame(call, fetched.questions)) return next()
    throw fetched.failure
  }
  if (fetched.taken) return next()
  fetched.taken = true
  return followed(fetched.alone, fetched.asking, call)
}

/** Changes of what is in a resource are told of its URI; those of sets are not told of each. */
function mayBeListenedTo({ operation }: PolicyStep): boolean {
  return operation === 'read' || operation === 'stat'
}

/** What an answer that is kept depends on: of a read not how much of it is wanted. */
function questionOf(step: PolicyStep): object {
  return step.operation === 'read' ? { uri: step.request.uri } : step.request
}

function ttlOf(said: number | undefined, other: number): number {
  const ttl = said ?? other
  return ttl > 0 ? Math.min(ttl, LONGEST_MS) : 0
}

/** About how many bytes are kept beside a value. */
function bytesOf(key: string, questions: readonly Question[], uris: readonly string[]): number {
  const texts = [key, ...questions.map(({ uri }) => uri), ...uris]
  return texts.reduce((sum, text) => sum + 100 + 2 * text.length, 500)
}

/** A body that is still to come may be given up by its caller until it is disposed. */
function followed(result: object, asking: AskingCall, call: Call): object {
  if (!asking.isFollowed || !('kind' in result) || !streams(result as ReadResult)) return result
  const { signal } = call
  const follow = (): void => asking.abort(signal.reason)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return untilDisposed(result as ReadResult, () => signal.removeEventListener('abort', follow))
}
