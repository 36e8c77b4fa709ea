import { ShelfError } from '../../errors.ts'
import type { Clock, UncheckedObject } from '../../protocol/index.ts'
import { DISCOVER, PING, RESOURCE_UPDATED, RESOURCES_CHANGED } from '../../protocol/index.ts'
import type { Client } from '../client.ts'
import type { Link } from '../link.ts'
import type { Session } from '../session.ts'
import { fingerprint, fingerprintOfSet } from './fingerprint.ts'
import type { Follower } from './follow.ts'
import { isOfConnection } from './follow.ts'
import { ListenFollower } from './listen-follower.ts'
import { Poller } from './poller.ts'
import type { Leaving } from './subscribe-follower.ts'
import { SubscribeFollower } from './subscribe-follower.ts'
import type { Topic, TopicListener } from './topics.ts'
import { Topics } from './topics.ts'

export interface FollowingOptions {
  readonly client: Client
  readonly link: Link
  readonly clock: Clock
  readonly random: () => number
  readonly timeoutMs: number
  readonly pollMs: number
  /** How often a server that says nothing is asked whether it lives. */
  readonly livenessMs: number
  /** What is kept of this, or without a URI of the set, may be old. */
  stale(uri: string | undefined): void
}

/** What is asked for in one turn goes out together, in milliseconds. */
const GATHER_MS = 5
/** After a stream that ended, in milliseconds; doubled each time up to the longest. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** What lasted so long was good, in milliseconds: the delay begins anew. */
const GOOD_MS = 10_000

/**
 * Follows whatever is wanted on one server, over whatever connection there is now.
 *
 * The rule: a modern server is asked by `subscriptions/listen`, a legacy one by `resources/subscribe` where it declares
 * that and can speak unasked; what neither agrees to tell of is looked at every `pollMs`. When a connection or stream is
 * lost everything on it is followed again, after a delay that grows, and each topic is told that it may have missed
 * something. Topics that are looked at have missed nothing: they are compared with what they were.
 */
export class Following {
  readonly topics = new Topics()
  readonly #options: FollowingOptions
  readonly #poller: Poller
  /** Wanted, and not followed yet. */
  readonly #waiting = new Set<Topic>()
  /** Topics that were followed once: when they are again, they may have missed something. */
  readonly #again = new WeakSet<Topic>()
  readonly #leaving: Leaving = new Map()
  #follower: { readonly session: Session; readonly follower: Follower; readonly release: () => void } | undefined
  #failures = 0
  #notBefore = -Infinity
  /** Since when nothing was lost. */
  #goodSince: number | undefined
  #running = false
  #wake: (() => void) | undefined
  #closed = false

  constructor(options: FollowingOptions) {
    this.#options = options
    const { clock, random, pollMs: everyMs, client } = options
    this.#poller = new Poller({
      clock,
      random,
      everyMs,
      look: ({ uri }, signal) => (uri === undefined ? fingerprintOfSet(client, signal) : fingerprint(client, uri, signal)),
      seen: (topic) => {
        if (topic.state === 'followed') return
        topic.state = 'followed'
        // Whoever came while it was lost waits for this.
        for (const each of topic.listeners) each.armed(topic)
      },
      changed: (topic) => {
        options.stale(topic.uri)
        this.#tell(topic, topic.uri)
      },
      failed: (topic) => {
        topic.state = 'lost'
      },
    })
  }

  add(uri: string | undefined, listener: TopicListener): Topic {
    if (this.#closed) return this.#tooLate(uri, listener)
    const { topic, isNew } = this.topics.add(uri, listener)
    if (isNew) this.#want([topic])
    else if (topic.state === 'followed') queueMicrotask(() => listener.armed(topic))
    return topic
  }

  #tooLate(uri: string | undefined, listener: TopicListener): Topic {
    const topic: Topic = { uri, listeners: new Set(), state: 'lost', by: undefined }
    queueMicrotask(() => listener.failed(topic, new ShelfError('unavailable', 'This client is closed', {}), false))
    return topic
  }

  remove(topic: Topic, listener: TopicListener): void {
    if (!this.topics.remove(topic, listener)) return
    this.#waiting.delete(topic)
    this.#poller.remove(topic)
    this.#follower?.follower.unfollow(topic)
    if (this.topics.size > 0) return
    this.#letGo()
    this.#wake?.()
  }

  close(): void {
    this.#closed = true
    for (const { listeners } of this.topics.all) for (const listener of listeners) listener.over()
    this.#poller.close()
    this.#letGo()
    this.#wake?.()
  }

  #want(topics: readonly Topic[]): void {
    for (const topic of topics) this.#waiting.add(topic)
    if (this.#running || this.#closed || this.#waiting.size === 0) return
    this.#running = true
    void this.#run()
  }

  /** Until everything that is wanted is followed. */
  async #run(): Promise<void> {
    const { clock } = this.#options
    await this.#pause(GATHER_MS)
    while (this.#waiting.size > 0 && !this.#closed) {
      const wait = this.#notBefore - clock.monotonic()
      if (wait > 0) {
        await this.#pause(wait)
        continue
      }
      const topics = [...this.#waiting]
      try {
        await this.#followAll(topics)
      } catch (error) {
        this.#fail(topics, ShelfError.from(error), false)
      }
      const now = clock.monotonic()
      // What was lost meanwhile has its delay already.
      if (this.#notBefore > now) continue
      if (topics.some((topic) => this.#waiting.has(topic))) this.#backOff()
      else this.#goodSince ??= now
    }
    this.#running = false
  }

  /** Ends early when there is nothing to wait for any more. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#options.clock.after(ms, resolve)
      this.#wake = () => {
        callOff()
        resolve()
      }
    })
  }

  #backOff(): void {
    const { clock, link, random } = this.#options
    const now = clock.monotonic()
    if (this.#goodSince !== undefined && now - this.#goodSince >= GOOD_MS) this.#failures = 0
    this.#goodSince = undefined
    const grown = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++)
    this.#notBefore = now + Math.max(link.waitMs, grown * (1 - random() / 2))
  }

  async #followAll(topics: readonly Topic[]): Promise<void> {
    const session = await this.#options.link.session()
    const { follower, by } = await this.#followerOf(session)
    const refused = follower === undefined ? topics : await follower.follow(topics)
    // Where nothing was asked, nothing has failed.
    if (session.closeReason !== undefined) throw session.closeReason
    const polled = new Set(refused)
    const told = topics.filter((topic) => !polled.has(topic))
    for (const topic of told) this.#followed(topic, by)
    // A stream may end as soon as it is acknowledged.
    if (follower !== undefined) this.#lost(told.filter((topic) => !follower.follows(topic)))
    await Promise.all(refused.map((topic) => this.#poll(topic)))
  }

  async #followerOf(session: Session): Promise<{ readonly follower: Follower | undefined; readonly by: 'listen' | 'subscribe' }> {
    const modern = session.facts.era === 'modern'
    const by = modern ? 'listen' : 'subscribe'
    if (this.#follower?.session === session) return { follower: this.#follower.follower, by }
    if (!modern && !(await session.hears())) return { follower: undefined, by }
    if (session.closeReason !== undefined) throw session.closeReason
    const { timeoutMs } = this.#options
    const follower = modern
      ? new ListenFollower(session, timeoutMs, (topics) => this.#lost(topics))
      : new SubscribeFollower(session, timeoutMs, this.#leaving)
    const stopListening = session.listen((method, params) => this.#heard(method, params))
    const stopAsking = this.#askNowAndThen(session)
    const stopWaiting = session.whenLost(() => {
      this.#letGo()
      this.#lost(this.topics.all.filter((topic) => topic.by !== 'poll'))
    })
    this.#letGo()
    this.#follower = {
      session,
      follower,
      release: () => {
        stopListening()
        stopAsking()
        stopWaiting()
      },
    }
    return { follower, by }
  }

  /** A server that hangs says nothing of it: it is asked for a sign of life, and without one it is left. */
  #askNowAndThen(session: Session): () => void {
    const { clock, livenessMs, timeoutMs } = this.#options
    const method = session.facts.era === 'modern' ? DISCOVER.method : PING.method
    let stopped = false
    let callOff = clock.after(livenessMs, () => void next())
    const next = async (): Promise<void> => {
      try {
        await session.request({ method, timeoutMs: Math.min(timeoutMs, livenessMs) })
      } catch (error) {
        if (stopped) return
        const failure = ShelfError.from(error)
        if (isOfConnection(failure)) return this.#options.link.drop(session, failure)
      }
      if (!stopped) callOff = clock.after(livenessMs, () => void next())
    }
    return () => {
      stopped = true
      callOff()
    }
  }

  async #poll(topic: Topic): Promise<void> {
    if (!this.topics.has(topic)) return
    try {
      await this.#poller.add(topic)
    } catch (error) {
      return this.#fail([topic], ShelfError.from(error), true)
    }
    if (this.topics.has(topic)) this.#followed(topic, 'poll')
    else this.#poller.remove(topic)
  }

  #followed(topic: Topic, by: Topic['by']): void {
    this.#waiting.delete(topic)
    if (!this.topics.has(topic)) return
    topic.state = 'followed'
    topic.by = by
    const again = this.#again.has(topic)
    this.#again.add(topic)
    if (again) this.#options.stale(topic.uri)
    for (const listener of topic.listeners) {
      if (again) listener.missed(topic)
      else listener.armed(topic)
    }
  }

  /** Whoever does not wait for the next attempt lets go of its topics. */
  #fail(topics: readonly Topic[], error: ShelfError, alone: boolean): void {
    for (const topic of topics) for (const listener of topic.listeners) listener.failed(topic, error, alone)
  }

  #lost(topics: readonly Topic[]): void {
    if (this.#closed) return
    const wanted = topics.filter((topic) => this.topics.has(topic) && !this.#waiting.has(topic))
    if (wanted.length === 0) return
    for (const topic of wanted) topic.state = 'lost'
    this.#backOff()
    this.#want(wanted)
  }

  #heard(method: string, params: UncheckedObject): void {
    if (method === RESOURCES_CHANGED.method) {
      const { set } = this.topics
      if (set !== undefined && set.by !== 'poll') this.#tell(set, undefined)
      return
    }
    const { uri } = params
    if (method !== RESOURCE_UPDATED.method || typeof uri !== 'string') return
    for (const topic of this.topics.of(uri)) {
      this.#options.stale(topic.uri)
      this.#tell(topic, uri)
    }
  }

  #tell(topic: Topic, uri: string | undefined): void {
    for (const listener of topic.listeners) listener.changed(topic, uri)
  }

  #letGo(): void {
    this.#follower?.release()
    this.#follower?.follower.close()
    this.#follower = undefined
  }
}
