import { ShelfError } from '../errors.ts'
import type { MethodDescriptor, UncheckedObject } from '../protocol/index.ts'

/** Request headers that repeat the body (basic/transports/streamable-http, Request Metadata). */
export interface RequestHeaders {
  readonly version: string | undefined
  readonly method: string | undefined
  readonly name: string | undefined
}

/**
 * Checks `Mcp-Method` and `Mcp-Name` against the body of a modern request.
 *
 * @throws ShelfError `header-mismatch` for a header that is missing, malformed or different
 */
export function checkHeaders(
  headers: RequestHeaders,
  method: string,
  params: UncheckedObject,
  descriptor: MethodDescriptor | undefined,
): void {
  if (headers.method !== method) throw mismatch('Mcp-Method', headers.method, method)
  const field = descriptor?.nameField
  if (field === undefined) return
  const value = params[field]
  // A body without the field is malformed itself; its own check says so in better words.
  if (typeof value !== 'string') return
  const given = headers.name === undefined ? undefined : decodeSentinel(headers.name)
  if (given !== value) throw mismatch('Mcp-Name', headers.name, value)
}

function mismatch(header: string, given: string | undefined, body: string): ShelfError {
  const said = given === undefined ? 'is missing' : `is ${JSON.stringify(given.slice(0, 200))}`
  return new ShelfError(
    'header-mismatch',
    `Header mismatch: ${header} ${said}, the body says ${JSON.stringify(body.slice(0, 200))}`,
    { header },
  )
}

const PREFIX = '=?base64?'
const SUFFIX = '?='

/** The text of a header value: as it is, or out of `=?base64?...?=`. Undefined for bad Base64 or UTF-8. */
export function decodeSentinel(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX) || value.length < PREFIX.length + SUFFIX.length) return value
  try {
    const binary = atob(value.slice(PREFIX.length, -SUFFIX.length))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(binary, (unit) => unit.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}
