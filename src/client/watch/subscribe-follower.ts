import { ShelfError } from '../../errors.ts'
import { RESOURCES_SUBSCRIBE, RESOURCES_UNSUBSCRIBE } from '../../protocol/index.ts'
import { uriKey } from '../../uri/index.ts'
import type { Session } from '../session.ts'
import type { Follower } from './follow.ts'
import { allSettled } from './follow.ts'
import type { Topic } from './topics.ts'

/** So many subscriptions are asked for at a time. */
const AT_ONCE = 16

/** Unsubscriptions on their way, by URI in normal form: who subscribes anew comes after them. */
export type Leaving = Map<string, Promise<unknown>>

/** Follows topics by `resources/subscribe`, and the set by what a legacy server tells unasked. */
export class SubscribeFollower implements Follower {
  readonly #session: Session
  readonly #timeoutMs: number
  readonly #leaving: Leaving
  /** Those that are asked for, and of them those that the server agreed to. */
  readonly #wanted = new Set<Topic>()
  readonly #followed = new Set<Topic>()

  constructor(session: Session, timeoutMs: number, leaving: Leaving) {
    this.#session = session
    this.#timeoutMs = timeoutMs
    this.#leaving = leaving
  }

  async follow(topics: readonly Topic[]): Promise<readonly Topic[]> {
    const refused: Topic[] = []
    for (const topic of topics) this.#wanted.add(topic)
    const waiting = [...topics]
    const work = async (): Promise<void> => {
      for (let topic = waiting.shift(); topic !== undefined; topic = waiting.shift()) {
        if (this.#wanted.has(topic) && !(await this.#take(topic))) refused.push(topic)
      }
    }
    await allSettled(Array.from({ length: Math.min(AT_ONCE, topics.length) }, work))
    return refused
  }

  follows(topic: Topic): boolean {
    return this.#followed.has(topic)
  }

  async #take(topic: Topic): Promise<boolean> {
    const { subscribe, listChanged } = this.#session.facts
    const { uri } = topic
    const taken = uri === undefined ? listChanged : subscribe && (await this.#subscribe(uri))
    if (!taken) this.#wanted.delete(topic)
    else if (this.#wanted.has(topic)) this.#followed.add(topic)
    // Nobody wants it any more, and the server has just begun to tell of it.
    else if (uri !== undefined) this.#leave(uri)
    return taken
  }

  /** False where the server says no; rejects where it could not be asked. */
  async #subscribe(uri: string): Promise<boolean> {
    await this.#leaving.get(uriKey(uri))
    try {
      await this.#session.request({ method: RESOURCES_SUBSCRIBE.method, params: { uri }, uri, timeoutMs: this.#timeoutMs })
      return true
    } catch (error) {
      if (this.#session.closed || ShelfError.is(error, 'unavailable') || ShelfError.is(error, 'timeout')) throw error
      return false
    }
  }

  unfollow(topic: Topic): void {
    this.#wanted.delete(topic)
    if (this.#followed.delete(topic) && topic.uri !== undefined) this.#leave(topic.uri)
  }

  #leave(uri: string): void {
    if (this.#session.closed) return
    const key = uriKey(uri)
    const left = this.#session
      .request({ method: RESOURCES_UNSUBSCRIBE.method, params: { uri }, uri, timeoutMs: this.#timeoutMs })
      .catch(() => undefined)
      .finally(() => {
        if (this.#leaving.get(key) === left) this.#leaving.delete(key)
      })
    this.#leaving.set(key, left)
  }

  close(): void {
    for (const topic of this.#wanted) this.unfollow(topic)
  }
}
