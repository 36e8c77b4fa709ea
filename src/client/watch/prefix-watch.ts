import { ShelfError } from '../../errors.ts'
import type { Notice } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Client } from '../client.ts'
import type { Following } from './following.ts'
import { QueuedWatch } from './queued-watch.ts'
import type { Topic, TopicListener } from './topics.ts'
import { gapOf, pushChange } from './watch.ts'

/** Of more resources below a prefix than this, the first are followed. */
const MOST_FOLLOWED = 1_000
/** After a list that could not be had, in milliseconds; doubled each time up to the longest. */
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30_000

export interface PrefixWatchOptions {
  readonly client: Client
  readonly following: Following
  readonly clock: Clock
  notice(notice: Notice): void
}

/** Topics that were found in one look, and what to do once each of them is followed, or known not to be for now. */
interface Found {
  readonly topics: Set<Topic>
  readonly done: () => void
}

/** Watches what is listed below a prefix: which resources there are, and each of them. */
export class PrefixWatch extends QueuedWatch implements TopicListener {
  readonly #prefix: string
  readonly #options: PrefixWatchOptions
  readonly #set: Topic
  readonly #followed = new Map<string, Topic>()
  readonly #found = new Set<Found>()
  /** Topics that could not be followed at first: when they are, they may have missed something. */
  readonly #late = new Set<Topic>()
  readonly #closing = new AbortController()
  #looking: Promise<void> | undefined
  #lookAgain = false
  #looked = false
  #isReady = false
  #failures = 0
  #callOff: () => void = () => undefined

  constructor(prefix: string, options: PrefixWatchOptions) {
    super()
    this.#prefix = prefix
    this.#options = options
    this.#set = options.following.add(undefined, this)
  }

  changed(topic: Topic, uri: string | undefined): void {
    if (topic === this.#set) this.#look()
    else pushChange(this.queue, topic, uri)
  }

  missed(topic: Topic): void {
    const isNew = topic === this.#set ? !this.#looked : this.#settle(topic)
    if (!isNew) this.queue.push(gapOf(topic))
    this.#late.delete(topic)
    if (topic === this.#set) this.#look()
  }

  armed(topic: Topic): void {
    if (topic === this.#set) this.#look()
    else if (this.#late.delete(topic)) this.queue.push(gapOf(topic))
    else this.#settle(topic)
  }

  /** Once it is ready, it waits for a server that cannot be reached. */
  failed(topic: Topic, error: ShelfError, alone: boolean): void {
    const isPart = alone && topic !== this.#set
    if (!this.#isReady && !isPart) this.#finish(error)
    // One that does not answer is no reason to be deaf to the others.
    else if (this.#settle(topic)) this.#late.add(topic)
  }

  /** True for a topic that was waited for until now. */
  #settle(topic: Topic): boolean {
    let wasNew = false
    for (const found of this.#found) {
      if (!found.topics.delete(topic)) continue
      wasNew = true
      this.#doneIfAll(found)
    }
    return wasNew
  }

  #doneIfAll(found: Found): void {
    if (found.topics.size > 0) return
    this.#found.delete(found)
    found.done()
  }

  /** What is listed now; asked again at the end for what happened meanwhile. */
  #look(): void {
    if (this.#closing.signal.aborted) return
    this.#callOff()
    if (this.#looking !== undefined) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#compare()
      .then(
        () => {
          this.#failures = 0
        },
        (error: unknown) => this.#failedToLook(ShelfError.from(error)),
      )
      .then(() => {
        this.#looking = undefined
        if (!this.#lookAgain) return
        this.#lookAgain = false
        this.#look()
      })
  }

  /** A first look that fails leaves nothing to wait for. */
  #failedToLook(error: ShelfError): void {
    if (!this.#looked) return this.#finish(error)
    if (this.#failures === 0) this.queue.push({ kind: 'resync' })
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++)
    this.#callOff = this.#options.clock.after(delay, () => this.#look())
  }

  async #compare(): Promise<void> {
    const now = await this.#listed()
    if (this.#closing.signal.aborted) return
    const { following } = this.#options
    let differs = false
    for (const [uri, topic] of this.#followed) {
      if (now.has(uri)) continue
      differs = true
      this.#followed.delete(uri)
      this.#late.delete(topic)
      following.remove(topic, this)
      this.#settle(topic)
    }
    const topics = new Set<Topic>()
    for (const uri of now) {
      if (this.#followed.has(uri)) continue
      differs = true
      const topic = following.add(uri, this)
      this.#followed.set(uri, topic)
      topics.add(topic)
    }
    // Whoever is told of something new can rely on hearing of its changes.
    const first = !this.#looked
    this.#looked = true
    const found = { topics, done: () => (first ? this.#becomeReady() : this.queue.push({ kind: 'list' })) }
    if (!first && !differs) return
    this.#found.add(found)
    this.#doneIfAll(found)
  }

  #becomeReady(): void {
    this.#isReady = true
    this.settleReady()
  }

  async #listed(): Promise<ReadonlySet<string>> {
    const { client } = this.#options
    const found = new Set<string>()
    const { signal } = this.#closing
    for await (const { uri } of client.list({ signal, fresh: true, onNotice: () => undefined })) {
      if (!uri.startsWith(this.#prefix)) continue
      if (found.size === MOST_FOLLOWED) {
        this.#options.notice({
          level: 'warning',
          message: `Of what is below ${this.#prefix} the first ${MOST_FOLLOWED} are watched`,
        })
        break
      }
      found.add(uri)
    }
    return found
  }

  close(): void {
    this.#finish()
  }

  #finish(error?: ShelfError): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    this.#callOff()
    for (const topic of [this.#set, ...this.#followed.values()]) this.#options.following.remove(topic, this)
    this.end(error)
  }
}
