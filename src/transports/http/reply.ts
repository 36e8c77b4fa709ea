import type { Frame } from '../../server/index.ts'

/** Names and values in turn, as `node:http` takes them without making anything of them first. */
export type HeaderList = readonly string[]

/** On every answer. */
export const NO_STORE = ['cache-control', 'no-store'] as const

/** The way back to an HTTP client: one whole answer, or a stream of events. */
export interface HttpReply {
  /** Answers at once. A promise settles after the last byte, or when the client is gone. */
  send(status: number, headers: HeaderList, body?: Frame): void | Promise<void>
  /** Starts a stream. */
  open(status: number, headers: HeaderList): HttpStream
  /** Ends an answer that has begun, so that the client knows it is not whole. */
  break(): void
}

export interface HttpStream {
  /** A promise when the client reads too slowly; it settles when there is room again, or when the client is gone. */
  write(frame: Frame): void | Promise<void>
  end(): void
  /** Settles when the stream has ended, from either side. */
  readonly ended: Promise<void>
}
