import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ShelfError } from '../../errors.ts'
import type { Refusal } from './refusal.ts'

/** How many requests of one connection may wait for those before them. */
const MOST_WAITING = 16

/**
 * Requests that come before those before them on their connection are answered (RFC 9112 section 9.3.2). Each is begun
 * when its turn comes: Node does not tell a response of which nothing can leave yet that its client is gone.
 */
export class Pipelining {
  readonly #waiting = new WeakMap<Socket, number>()

  /** Counts a request that has just come among those that wait, if it must; why it is refused, if they are too many. */
  refusal(response: ServerResponse): Refusal | undefined {
    if (response.socket !== null) return undefined
    const { socket } = response.req
    const waiting = this.#waiting.get(socket) ?? 0
    if (waiting >= MOST_WAITING) {
      const message = `Only ${MOST_WAITING} requests of a connection may wait for those before them`
      return { status: 503, error: new ShelfError('busy', message, {}) }
    }
    this.#waiting.set(socket, waiting + 1)
    response.once('socket', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1))
    return undefined
  }
}

/** Calls back when the turn of a response has come, unless its client is gone by then. */
export function inTurn(response: ServerResponse, go: () => void): void {
  if (response.socket !== null) return go()
  response.once('socket', (socket: Socket) => {
    // Node has not done with giving it the connection.
    queueMicrotask(() => {
      if (!socket.destroyed) go()
    })
  })
}
