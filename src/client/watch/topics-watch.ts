import type { ShelfError } from '../../errors.ts'
import type { Following } from './following.ts'
import { QueuedWatch } from './queued-watch.ts'
import type { Topic, TopicListener } from './topics.ts'
import { gapOf, pushChange } from './watch.ts'

/** Watches URIs, or with none of them the set of resources. */
export class TopicsWatch extends QueuedWatch implements TopicListener {
  readonly #following: Following
  readonly #topics: Topic[] = []
  readonly #unarmed: Set<Topic>

  constructor(following: Following, uris: readonly (string | undefined)[]) {
    super()
    this.#following = following
    for (const uri of uris) this.#topics.push(following.add(uri, this))
    this.#unarmed = new Set(this.#topics)
    if (this.#unarmed.size === 0) this.settleReady()
  }

  changed(topic: Topic, uri: string | undefined): void {
    pushChange(this.queue, topic, uri)
  }

  missed(topic: Topic): void {
    // What was never armed has missed nothing.
    if (this.#unarmed.has(topic)) this.armed(topic)
    else this.queue.push(gapOf(topic))
  }

  armed(topic: Topic): void {
    this.#unarmed.delete(topic)
    if (this.#unarmed.size === 0) this.settleReady()
  }

  /** Once it is ready, it waits for a server that cannot be reached. */
  failed(_topic: Topic, error: ShelfError): void {
    if (this.#unarmed.size > 0) this.#letGo(error)
  }

  close(): void {
    this.#letGo()
  }

  #letGo(error?: ShelfError): void {
    for (const topic of this.#topics) this.#following.remove(topic, this)
    this.end(error)
  }
}
