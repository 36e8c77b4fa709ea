import { ShelfError } from '../../errors.ts'
import type { Position } from '../../library/index.ts'
import type { Cursors } from './tool.ts'

/** Places that are kept; the oldest goes. */
const MOST = 1_000

interface Place {
  readonly whose: string
  readonly query: string
  readonly after: Position
}

/** Places in lists for tools that are called in this process: the model carries a number, and the place stays here. */
export class KeptCursors {
  readonly #places = new Map<string, Place>()

  /** The cursors of one caller, which nobody else can use. */
  of(whose: string): Cursors {
    return {
      seal: (query, after) => {
        const cursor = crypto.randomUUID()
        this.#places.set(cursor, { whose, query, after })
        const [oldest] = this.#places.keys()
        if (this.#places.size > MOST && oldest !== undefined) this.#places.delete(oldest)
        return cursor
      },
      open: (query, cursor) => {
        const place = this.#places.get(cursor)
        if (place?.query === query && place.whose === whose) return place.after
        throw new ShelfError('invalid-cursor', 'Invalid cursor', {})
      },
    }
  }
}
