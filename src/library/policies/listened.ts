import { uriKey } from '../../uri/index.ts'
import type { Watcher } from '../provider.ts'
import type { Listening } from './cache-store.ts'

/** One interest in a URI. It counts once the watcher has it. */
interface Interest {
  counts: boolean
}

/** The URIs of a provider whose changes are heard, since somebody listens to them. */
export class Listened {
  readonly #byUri = new Map<string, Listening>()

  /** By the normal form of a URI. */
  get(key: string): Listening | undefined {
    return this.#byUri.get(key)
  }

  /** A watcher whose interests are followed: a URI counts from when the watcher has it until it is taken back. */
  following(watcher: Watcher): Watcher {
    const mine = new Map<string, Interest[]>()
    const remove = (key: string): void => {
      const interests = mine.get(key)
      const interest = interests?.pop()
      if (interests?.length === 0) mine.delete(key)
      if (interest?.counts === true) this.#end(key)
    }
    return {
      add: async (uri) => {
        const key = uriKey(uri)
        const interest: Interest = { counts: false }
        const interests = mine.get(key)
        if (interests === undefined) mine.set(key, [interest])
        // The last ones are taken back first, so that those that count stay.
        else interests.push(interest)
        await watcher.add(uri)
        if (mine.get(key)?.includes(interest) !== true) return
        interest.counts = true
        this.#begin(key)
      },
      remove: (uri) => {
        remove(uriKey(uri))
        watcher.remove(uri)
      },
      [Symbol.asyncDispose]: async () => {
        for (const [key, interests] of mine) for (let left = interests.length; left > 0; left--) remove(key)
        await watcher[Symbol.asyncDispose]()
      },
    }
  }

  #begin(key: string): void {
    const listening = this.#byUri.get(key)
    if (listening === undefined) this.#byUri.set(key, { count: 1 })
    else listening.count++
  }

  #end(key: string): void {
    const listening = this.#byUri.get(key)
    if (listening !== undefined && --listening.count === 0) this.#byUri.delete(key)
  }
}
