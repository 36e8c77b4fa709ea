import type { Frame } from '../../server/index.ts'
import type { OpenStreams } from './open-streams.ts'
import { LONG_TEXT, writePieces } from './outlet.ts'
import type { Outlet } from './outlet.ts'
import type { HttpStream } from './reply.ts'

/** A stream of events. */
export class EventStream implements HttpStream {
  readonly ended: Promise<void>
  readonly #outlet: Outlet
  #last: Promise<void> | undefined

  constructor(outlet: Outlet, streams: OpenStreams) {
    this.#outlet = outlet
    if (outlet.gone) {
      // The client left before there was anything to say.
      this.ended = Promise.resolve()
      return
    }
    streams.add(this)
    this.ended = new Promise((resolve) => {
      outlet.whenGone(() => {
        streams.delete(this)
        resolve()
      })
    })
  }

  write(frame: Frame): void | Promise<void> {
    if (this.#last === undefined && typeof frame === 'string' && frame.length <= LONG_TEXT) {
      if (this.#outlet.gone || this.#outlet.write(frame)) return undefined
      return this.#after(this.#outlet.room())
    }
    const before = this.#last ?? Promise.resolve()
    return this.#after(before.then(() => writePieces(this.#outlet, typeof frame === 'string' ? [frame] : frame)))
  }

  /** A comment, so that nobody on the way takes a quiet stream for a dead one. */
  keepAlive(): void {
    if (this.#last === undefined && !this.#outlet.gone && !this.#outlet.full) this.#outlet.write(':\n\n')
  }

  end(): void {
    if (this.#last === undefined) this.#outlet.end()
    else void this.#last.then(() => this.#outlet.end())
  }

  #after(work: Promise<unknown>): Promise<void> {
    const last: Promise<void> = work.then(() => {
      if (this.#last === last) this.#last = undefined
    })
    this.#last = last
    return last
  }
}
