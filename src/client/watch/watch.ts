import type { ShelfError } from '../../errors.ts'
import { uriKey } from '../../uri/index.ts'

/** What is watched: single URIs, all that is listed below a prefix, or which resources there are. */
export type WatchTarget = readonly string[] | { readonly prefix: string } | 'list'

export type WatchEvent =
  /** The contents of a resource changed, or it is gone, or it came. */
  | { readonly kind: 'updated'; readonly uri: string }
  /** The set of resources changed. */
  | { readonly kind: 'list' }
  /** Changes of this resource, or without one of the set, may have been missed: look again. */
  | { readonly kind: 'resync'; readonly uri?: string }

/**
 * Changes as they come, for one reader. What has not been taken yet is held once per URI, however often it changed. It
 * lasts until it is closed; a server that ends is connected to again.
 */
export interface Watch extends AsyncIterable<WatchEvent>, AsyncDisposable {
  /** Settles when all is armed: what changes from then on is told. Rejects when the server cannot be asked at all. */
  readonly ready: Promise<void>
  /** Lets go of it; the iteration ends. */
  close(): void
}

/** Puts a change into a queue: under the spelling that was asked for, or that of the part which changed. */
export function pushChange(queue: EventQueue, { uri }: { readonly uri: string | undefined }, named: string | undefined): void {
  if (uri === undefined) return queue.push({ kind: 'list' })
  const same = named === undefined || named === uri || uriKey(named) === uriKey(uri)
  queue.pushPart(same ? uri : named, uri)
}

export function gapOf({ uri }: { readonly uri: string | undefined }): WatchEvent {
  return uri === undefined ? { kind: 'resync' } : { kind: 'resync', uri }
}

/** So many changes of parts of one thing wait for the reader; with more it is told to look at the whole. */
const MOST_PARTS = 1_000
/** A part with a longer URI is told as the whole. */
const LONGEST_PART = 8_192

/** Events that wait for their reader: each once, in the order in which they came. */
export class EventQueue implements AsyncIterable<WatchEvent> {
  readonly #waiting = new Map<string | undefined, WatchEvent>()
  readonly #parts = new Set<string>()
  #wake: (() => void) | undefined
  #end: { readonly error?: ShelfError } | undefined

  /** A change of something that is to be looked at anyway says nothing new. */
  push(event: WatchEvent): void {
    if (this.#end !== undefined) return
    const key = event.kind === 'list' ? undefined : event.uri
    const waiting = this.#waiting.get(key)
    if (waiting?.kind === 'resync') return
    if (waiting === undefined || event.kind === 'resync') this.#waiting.set(key, event)
    this.#wake?.()
  }

  /** A change of `whole`, or of what is below it. */
  pushPart(uri: string, whole: string): void {
    if (uri === whole) return this.push({ kind: 'updated', uri })
    if (uri.length > LONGEST_PART || (this.#parts.size >= MOST_PARTS && !this.#parts.has(uri)))
      return this.push({ kind: 'resync', uri: whole })
    this.#parts.add(uri)
    this.push({ kind: 'updated', uri })
  }

  /** Nothing more will come; with an error, the reader is told after what waits. */
  end(error?: ShelfError): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    if (error === undefined) this.#waiting.clear()
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent, void, undefined> {
    for (;;) {
      for (const [key, event] of this.#waiting) {
        this.#waiting.delete(key)
        if (key !== undefined) this.#parts.delete(key)
        yield event
      }
      if (this.#waiting.size > 0) continue
      if (this.#end !== undefined) {
        if (this.#end.error !== undefined) throw this.#end.error
        return
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
