import { isObject } from '../../protocol/index.ts'

/** A JSON-RPC error out of the body of an answer. */
export interface ErrorAnswer {
  /** As it stands there; undefined and null stand for the request that was sent. */
  readonly id: unknown
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The JSON-RPC error that a body is; undefined for any other. */
export function errorAnswer(text: string): ErrorAnswer | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  // Some servers give a list of one.
  if (Array.isArray(body) && body.length === 1) [body] = body as readonly unknown[]
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || !isObject(body['error'])) return undefined
  const { code, message, data } = body['error']
  if (typeof code !== 'number' || !Number.isInteger(code)) return undefined
  return {
    id: body['id'] ?? undefined,
    error: { code, message: typeof message === 'string' ? message : '', ...(data !== undefined && { data }) },
  }
}
