import { ShelfError } from '../../errors.ts'
import { toWireError } from '../../protocol/index.ts'
import type { HeaderList, HttpReply } from './reply.ts'

/** Why a request is turned away before it is a message. */
export interface Refusal {
  readonly status: number
  readonly headers?: HeaderList
  /** What the body says. Without one there is no body. */
  readonly error?: ShelfError
}

/** Answers what never became a message: an error without an id (basic/transports/streamable-http). */
export function refuse(reply: HttpReply, status: number, error: unknown, headers: HeaderList = []): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: toWireError(error, 'modern') })
  void reply.send(status, ['content-type', 'application/json', ...headers], body)
}

export function sendRefusal(reply: HttpReply, { status, headers = [], error }: Refusal): void {
  if (error === undefined) void reply.send(status, headers)
  else refuse(reply, status, error, headers)
}

/** For a body of more bytes than the limit. */
export function bodyTooLarge(limit: number): Refusal {
  const message = `The body is larger than the limit of ${limit} bytes`
  return { status: 413, error: new ShelfError('too-large', message, { size: limit + 1, limit }) }
}
