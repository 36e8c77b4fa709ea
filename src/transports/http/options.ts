import { LONGEST_MS, requireCount, requireLimit } from '../../library/index.ts'
import type { EngineOptions } from '../../server/index.ts'
import type { Authenticate } from './authenticate.ts'
import type { ResourceOptions } from './resource.ts'

/** What the MCP endpoint takes in every web server. */
export interface EndpointOptions extends Partial<EngineOptions> {
  /** Who a bearer token is of. With it, a request without a good one is 401; without, everybody is the local user. */
  readonly authenticate?: Authenticate
  /** Scopes that a token needs for anything at all, every one of them; with less the answer is 403. Wants `authenticate`. */
  readonly requiredScopes?: readonly string[]
  /** Says in well-known places, and in each 401, whose tokens are taken here (RFC 9728). Wants `authenticate`. */
  readonly resource?: ResourceOptions
  /** Further values of `Host` that are served, exactly as clients send them: `name:port`, or `name` for the port of the scheme. */
  readonly allowedHosts?: readonly string[]
  /** Further values of `Origin` that are allowed, exactly as browsers send them: `https://name:port`. */
  readonly allowedOrigins?: readonly string[]
  /** The longest request body, in bytes. Default 1 MiB. */
  readonly maxBody?: number
  /** When a legacy session that nobody uses ends, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number
  /** Legacy sessions in all. Default 1,000. */
  readonly maxSessions?: number
  /** How often a quiet stream gets a comment, in milliseconds. Default 15 seconds. */
  readonly keepAliveMs?: number
  /** When a client that does not read what waits for it is cut off, in milliseconds. Default 30 seconds. */
  readonly stallMs?: number
  /** How long requests may go on after `close()`, in milliseconds. Default 5 seconds. */
  readonly drainMs?: number
}

/** How long a request may take to arrive. */
export const REQUEST_MS = 30_000

/** What a Library has for being disposed, at least, when requests took all of `drainMs`. */
export const DISPOSE_MS = 500

/** The limits of an endpoint, all there. */
export type EndpointLimits = Required<
  Pick<EndpointOptions, 'maxBody' | 'sessionIdleMs' | 'maxSessions' | 'keepAliveMs' | 'stallMs' | 'drainMs'>
>

/** @throws ShelfError `invalid-option` for a limit that is none, and for a time that a timer cannot hold */
export function endpointLimits({
  maxBody = 1024 * 1024,
  sessionIdleMs = 30 * 60_000,
  maxSessions = 1_000,
  keepAliveMs = 15_000,
  stallMs = 30_000,
  drainMs = 5_000,
}: EndpointOptions): EndpointLimits {
  return {
    maxBody: requireCount('maxBody', maxBody, 0),
    sessionIdleMs: requireLimit('sessionIdleMs', sessionIdleMs, 1, LONGEST_MS),
    maxSessions: requireCount('maxSessions', maxSessions, 0),
    keepAliveMs: requireLimit('keepAliveMs', keepAliveMs, 1, LONGEST_MS),
    stallMs: requireLimit('stallMs', stallMs, 1, LONGEST_MS),
    drainMs: requireLimit('drainMs', drainMs, 0, LONGEST_MS),
  }
}
