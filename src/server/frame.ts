import type { Piece } from '../library/index.ts'
import { byteLength, mostBytes, utf8Length } from '../library/index.ts'
import type { Era } from '../protocol/index.ts'

/** One message on its way out, as text or as pieces. */
export type Frame = string | readonly Piece[]

/** Where the messages about one request go, in order. */
export interface Sink {
  /** The most bytes that one message may have. */
  readonly maxFrame: number
  /** A notification. A promise means that the channel is full; it settles when there is room again. */
  notify(frame: Frame): void | Promise<void>
  /** The response, after which nothing follows. A promise settles after the last byte, or when there is nobody to read it. */
  respond(frame: Frame, failure?: Failure): void | Promise<void>
  /** The request was cancelled: there will be no response, or what has left of it is enough. */
  drop(): void
}

/** What a transport with statuses of its own must know of an error response. */
export interface Failure {
  /** The JSON-RPC code. */
  readonly code: number
  readonly era: Era
  /** The message was turned away at the door: malformed, of the wrong version, or without its `_meta`. */
  readonly rejected: boolean
}

/** How many bytes a message has on the wire, base64 included. */
export function frameBytes(frame: Frame): number {
  if (typeof frame === 'string') return utf8Length(frame)
  let bytes = 0
  for (const piece of frame) {
    if (typeof piece === 'string') bytes += utf8Length(piece)
    else bytes += Math.ceil(byteLength(piece.bytes) / 3) * 4
  }
  return bytes
}

/** True when a message is certainly or exactly within a limit; counts only when it may not be. */
export function fits(frame: Frame, limit: number): boolean {
  if (typeof frame === 'string' && mostBytes(frame) <= limit) return true
  return frameBytes(frame) <= limit
}
