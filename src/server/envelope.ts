import { ShelfError } from '../errors.ts'
import type { Implementation, LogLevel, Revision, UncheckedObject } from '../protocol/index.ts'
import {
  isLegacy,
  isLogLevel,
  isObject,
  isRevision,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_VERSION,
  MODERN_REVISIONS,
} from '../protocol/index.ts'

/** What a modern request says of itself in `params._meta` (basic/index, per-request protocol fields). */
export interface Envelope {
  readonly revision: Revision
  readonly clientCapabilities: UncheckedObject
  readonly clientInfo: Implementation | undefined
  readonly logLevel: LogLevel | undefined
}

/**
 * Whether a message is of the modern era: its `_meta` or the HTTP version header says so, never the method.
 * A legacy revision in either place does not count, and neither does silence.
 */
export function isModern(params: UncheckedObject, headerVersion: string | undefined): boolean {
  const meta = params['_meta']
  if (isObject(meta)) {
    const version = meta[META_VERSION]
    if (version === undefined ? META_CLIENT_CAPABILITIES in meta || META_CLIENT_INFO in meta : !isLegacy(version)) return true
  }
  return headerVersion !== undefined && !isLegacy(headerVersion)
}

/**
 * Reads the envelope of a modern request.
 *
 * @throws ShelfError `invalid-params` for a missing or wrong field, `header-mismatch` when the version header says
 *   something else, `unsupported-version` for a revision that is not served
 */
export function readEnvelope(params: UncheckedObject, headers: { readonly version: string | undefined } | undefined): Envelope {
  const meta = params['_meta']
  if (!isObject(meta)) throw missing('_meta')
  const version = meta[META_VERSION]
  if (typeof version !== 'string') throw missing(`_meta["${META_VERSION}"]`)
  const capabilities = meta[META_CLIENT_CAPABILITIES]
  if (headers !== undefined && headers.version !== version) {
    throw new ShelfError(
      'header-mismatch',
      `MCP-Protocol-Version is ${quoted(headers.version)}, the body says ${quoted(version)}`,
      {
        header: 'MCP-Protocol-Version',
      },
    )
  }
  if (!isRevision(version) || isLegacy(version)) {
    throw new ShelfError('unsupported-version', 'Unsupported protocol version', {
      supported: MODERN_REVISIONS,
      requested: version,
    })
  }
  if (!isObject(capabilities)) throw missing(`_meta["${META_CLIENT_CAPABILITIES}"]`)
  const info = meta[META_CLIENT_INFO]
  if (info !== undefined && !isImplementation(info)) throw missing(`_meta["${META_CLIENT_INFO}"].name and .version`)
  const level = meta[META_LOG_LEVEL]
  if (level !== undefined && !isLogLevel(level)) {
    throw new ShelfError('invalid-params', `_meta["${META_LOG_LEVEL}"] is not a log level`, { param: '_meta' })
  }
  return { revision: version, clientCapabilities: capabilities, clientInfo: info, logLevel: level }
}

/** True for a name and version. */
export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
}

function missing(what: string): ShelfError {
  return new ShelfError('invalid-params', `params.${what} is missing or of the wrong type`, { param: '_meta' })
}

function quoted(value: string | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value.slice(0, 64))
}
