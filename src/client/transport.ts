import type { ShelfError } from '../errors.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- transports of other packages assign here, each with a message type of its own
type OnMessage = (message: any) => void

/**
 * The client's end of a wire to one server: one process, one HTTP endpoint, one Library in memory. It has the form of
 * the official clients' transports, so those of other packages fit too; what is beyond that form is optional.
 */
export interface ClientTransport {
  /** A decoded message; set before `start`. */
  onmessage?: OnMessage | undefined
  /** The connection is over, and why is in `closeReason`. Called once. */
  onclose?: (() => void) | undefined
  /** Something that ends nothing: a line that is no JSON, a frame that is too long. */
  onerror?: ((error: Error) => void) | undefined
  /** A person is waited for, who logs in; the time that requests have should not run until then. */
  onwait?: ((over: Promise<void>) => void) | undefined
  /** Why it ended, once it has, if not by `close`. The message is for people: exit code, end of stderr. */
  readonly closeReason?: ShelfError | undefined
  /**
   * Whether each request has a stream of its own, as over HTTP: its end cancels a modern request, and losing it is the
   * loss of this request alone.
   */
  readonly hasPerRequestStream?: boolean
  start(): Promise<void>
  /** Settles when the message is on its way. Rejects when its request will not be answered. */
  send(message: unknown, options?: SendOptions): Promise<void>
  close(): Promise<void>
  /** Told once a legacy revision is agreed upon (HTTP repeats it in a header). */
  setProtocolVersion?(version: string): void
  /**
   * Whether the server can speak unasked in a legacy session: settles once the stream for that is open, or refused.
   * Without this method it can.
   */
  hears?(): Promise<boolean>
}

export interface SendOptions {
  /** Ends the stream of this request. */
  readonly requestSignal?: AbortSignal
  /**
   * The stream of this request ended, other than by `requestSignal`; the answer may have come before. If it has not, and
   * the transport knows why, that is told: an event that was too large, a connection that broke off.
   */
  readonly onRequestStreamEnd?: (reason?: ShelfError) => void
}

/**
 * Makes a connection, not yet started; called again whenever the last one is over. What cannot be made throws or
 * rejects with a ShelfError, or does so in `start`.
 */
export type Connect = () => ClientTransport | Promise<ClientTransport>
