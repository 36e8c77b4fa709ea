import { ShelfError } from '../../errors.ts'
import { settleable } from '../../library/index.ts'
import type { UncheckedObject } from '../../protocol/index.ts'
import { ACKNOWLEDGED, isObject, isStrings, LISTEN, META_SUBSCRIPTION } from '../../protocol/index.ts'
import { uriKey } from '../../uri/index.ts'
import type { Session } from '../session.ts'
import type { Follower } from './follow.ts'
import { allSettled, isOfConnection } from './follow.ts'
import type { Topic } from './topics.ts'

/** So many URIs are asked for on one stream; servers have limits, ours takes 256. */
const URIS_A_STREAM = 200
/** More streams than this become one for every 200 URIs. */
const MOST_STREAMS = 8

interface Stream {
  readonly topics: Set<Topic>
  readonly end: AbortController
  /** Whether the server has acknowledged it. */
  armed: boolean
}

/** Follows topics by `subscriptions/listen` (basic/patterns/subscriptions), a stream for what is added at a time. */
export class ListenFollower implements Follower {
  readonly #session: Session
  readonly #timeoutMs: number
  readonly #lost: (topics: readonly Topic[]) => void
  readonly #streams = new Set<Stream>()

  /** @param lost a stream ended with these topics on it; they are followed no longer */
  constructor(session: Session, timeoutMs: number, lost: (topics: readonly Topic[]) => void) {
    this.#session = session
    this.#timeoutMs = timeoutMs
    this.#lost = lost
  }

  async follow(topics: readonly Topic[]): Promise<readonly Topic[]> {
    if (this.#streams.size < MOST_STREAMS) return this.#open(topics)
    const old = [...this.#streams]
    const refused = await this.#open([...new Set([...old.flatMap((stream) => [...stream.topics]), ...topics])])
    for (const stream of old) this.#end(stream)
    return refused
  }

  follows(topic: Topic): boolean {
    return [...this.#streams].some((stream) => stream.armed && stream.topics.has(topic))
  }

  async #open(topics: readonly Topic[]): Promise<readonly Topic[]> {
    const uris = topics.filter(({ uri }) => uri !== undefined)
    const set = topics.filter(({ uri }) => uri === undefined)
    const parts: Topic[][] = [[...set, ...uris.slice(0, URIS_A_STREAM)]]
    for (let start = URIS_A_STREAM; start < uris.length; start += URIS_A_STREAM)
      parts.push(uris.slice(start, start + URIS_A_STREAM))
    return (await allSettled(parts.map((part) => this.#listen(part)))).flat()
  }

  /** Opens a stream; gives those topics that the server does not tell of. */
  async #listen(topics: readonly Topic[]): Promise<readonly Topic[]> {
    const stream: Stream = { topics: new Set(topics), end: new AbortController(), armed: false }
    // From now on: what nobody wants any more while it is being armed is let go of too.
    this.#streams.add(stream)
    const uris = topics.flatMap(({ uri }) => (uri === undefined ? [] : [uri]))
    const notifications = {
      ...(topics.some(({ uri }) => uri === undefined) && { resourcesListChanged: true }),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    }
    let id = 0
    // The acknowledgement may come before the request is known to have left.
    const acknowledgement = this.#session.first((method, params) => {
      if (method !== ACKNOWLEDGED.method || !isOf(params, id)) return undefined
      return isObject(params['notifications']) ? params['notifications'] : {}
    })
    const result = this.#session.request({
      method: LISTEN.method,
      params: { notifications },
      signal: stream.end.signal,
      timeoutMs: Infinity,
      onId: (given) => {
        id = given
      },
    })
    const ended = result.then(
      () => new ShelfError('unsupported', 'The server ended the subscription', { operation: LISTEN.method }),
      (error: unknown) => ShelfError.from(error),
    )
    try {
      const refused = notHonoured(await this.#acknowledged(acknowledgement.value, ended), [...stream.topics])
      for (const topic of refused) stream.topics.delete(topic)
      stream.armed = true
      if (stream.topics.size === 0) this.#end(stream)
      else void this.#whenEnded(stream, ended)
      return refused
    } catch (error) {
      const wanted = this.#streams.has(stream)
      this.#end(stream)
      if (!wanted) return []
      if (isOfConnection(error) || this.#session.closed) throw error
      // The server has answered that it will not tell of them.
      return [...stream.topics]
    } finally {
      acknowledgement.stop()
    }
  }

  /** What the server agreed to tell of. Rejects when the stream ends before that. */
  async #acknowledged(honoured: Promise<UncheckedObject>, ended: Promise<ShelfError>): Promise<UncheckedObject> {
    const late = settleable<ShelfError>()
    const afterMs = this.#timeoutMs
    const callOff = this.#session.after(afterMs, () =>
      late.resolve(new ShelfError('timeout', 'The server did not acknowledge the subscription', { afterMs })),
    )
    try {
      const first = await Promise.race([honoured, ended, late.promise])
      if (first instanceof ShelfError) throw first
      return first
    } finally {
      callOff()
    }
  }

  async #whenEnded(stream: Stream, ended: Promise<ShelfError>): Promise<void> {
    await ended
    if (this.#streams.delete(stream)) this.#lost([...stream.topics])
  }

  unfollow(topic: Topic): void {
    for (const stream of this.#streams) {
      if (stream.topics.delete(topic) && stream.topics.size === 0) this.#end(stream)
    }
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream)
    stream.end.abort()
  }

  close(): void {
    for (const stream of this.#streams) this.#end(stream)
  }
}

/** Whether a notification is of the subscription with this id; some servers send the text of the number. */
function isOf(params: UncheckedObject, id: number): boolean {
  const of = isObject(params['_meta']) ? params['_meta'][META_SUBSCRIPTION] : undefined
  return of === id || of === String(id)
}

/** Topics that the server did not agree to tell of. */
function notHonoured(honoured: UncheckedObject, topics: readonly Topic[]): readonly Topic[] {
  const listed = honoured['resourceSubscriptions']
  const uris = new Set((isStrings(listed) ? listed : []).map(uriKey))
  const set = honoured['resourcesListChanged'] === true
  return topics.filter(({ uri }) => !(uri === undefined ? set : uris.has(uriKey(uri))))
}
