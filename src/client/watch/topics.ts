import { uriKey } from '../../uri/index.ts'
import type { ShelfError } from '../../errors.ts'

/** How a topic is followed. */
export type Followed = 'listen' | 'subscribe' | 'poll'

/** One thing that somebody wants to hear of: a URI, or the set of resources. */
export interface Topic {
  /** As it was first asked for; `undefined` for the set. */
  readonly uri: string | undefined
  readonly listeners: Set<TopicListener>
  /** `pending` until it is first followed, `lost` while the server cannot be reached. */
  state: 'pending' | 'followed' | 'lost'
  by: Followed | undefined
}

export interface TopicListener {
  /** It changed; for a URI, the URI that the server named, which may be a child. */
  changed(topic: Topic, uri: string | undefined): void
  /** It may have changed without a word, if it was armed before; it is followed from now on. */
  missed(topic: Topic): void
  /** It is followed from now on. */
  armed(topic: Topic): void
  /** An attempt to follow it failed: with all others, or alone. Whoever does not wait for the next lets go of it. */
  failed(topic: Topic, error: ShelfError, alone: boolean): void
  /** The client is closed. */
  over(): void
}

/** An update may be of what is so many levels above it. */
const MOST_LEVELS = 64

/** What is wanted by anybody, each once. */
export class Topics {
  readonly #all = new Map<string | undefined, Topic>()
  /** Of the longest URI that was ever asked for: nothing longer can be above another. */
  #longest = 0

  get all(): readonly Topic[] {
    return [...this.#all.values()]
  }

  get size(): number {
    return this.#all.size
  }

  /** Whether it is still wanted. */
  has(topic: Topic): boolean {
    return this.#all.get(keyOf(topic.uri)) === topic
  }

  /** Adds a listener; true if the topic is new. */
  add(uri: string | undefined, listener: TopicListener): { readonly topic: Topic; readonly isNew: boolean } {
    const key = keyOf(uri)
    const known = this.#all.get(key)
    if (known !== undefined) {
      known.listeners.add(listener)
      return { topic: known, isNew: false }
    }
    const topic: Topic = { uri, listeners: new Set([listener]), state: 'pending', by: undefined }
    this.#all.set(key, topic)
    this.#longest = Math.max(this.#longest, key?.length ?? 0)
    return { topic, isNew: true }
  }

  /** Takes a listener away; true if nobody wants the topic any more. */
  remove(topic: Topic, listener: TopicListener): boolean {
    topic.listeners.delete(listener)
    if (topic.listeners.size > 0 || !this.has(topic)) return false
    this.#all.delete(keyOf(topic.uri))
    return true
  }

  get set(): Topic | undefined {
    return this.#all.get(undefined)
  }

  /** The topics that an update of this URI is of: its own, and those of what is above it. */
  of(uri: string): readonly Topic[] {
    const key = uriKey(uri)
    const found: Topic[] = []
    const take = (name: string): void => {
      const topic = this.#all.get(name)
      if (topic !== undefined) found.push(topic)
    }
    take(key)
    let slash = key.lastIndexOf('/', this.#longest)
    for (let level = 0; slash > 0 && level < MOST_LEVELS; level++) {
      if (slash + 1 < key.length) take(key.slice(0, slash + 1))
      take(key.slice(0, slash))
      slash = key.lastIndexOf('/', slash - 1)
    }
    return found
  }
}

function keyOf(uri: string | undefined): string | undefined {
  return uri === undefined ? undefined : uriKey(uri)
}
