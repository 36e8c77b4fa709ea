import type { ZodType } from 'zod'
import type { Limits } from '../../server/index.ts'
import type { HttpLimits } from '../serve/settings.ts'
import type { Kinds, ObjectOf } from './kinds.ts'

/** Limits of the Engine. What they call `...Ms` is a time here, and is called without it. */
export function limitsOf({ object, optional, size, count, duration, taken }: Kinds): ZodType<Partial<Limits>> {
  const limits = object({
    maxRead: optional(size()),
    firstPage: optional(count()),
    largestPage: optional(count()),
    maxPageBytes: optional(size()),
    maxCompletions: optional(count()),
    cursorTtl: optional(duration()),
    stateTtl: optional(duration()),
    urisPerListener: optional(count()),
    maxListeners: optional(count()),
    maxBatch: optional(count()),
    requestsPerPeer: optional(count()),
    waitingPerPeer: optional(count(0)),
  })
  return taken(limits, ({ cursorTtl, stateTtl, ...rest }) => ({
    ...rest,
    ...(cursorTtl !== undefined && { cursorTtlMs: cursorTtl }),
    ...(stateTtl !== undefined && { stateTtlMs: stateTtl }),
  }))
}

/** Keys of `http` for the limits of its endpoint. */
export const httpLimitKeys = ({ optional, size, count, duration }: Kinds) => ({
  maxBody: optional(size()),
  maxSessions: optional(count()),
  maxUnread: optional(size()),
  sessionIdle: optional(duration()),
  keepAlive: optional(duration()),
  stall: optional(duration()),
  drain: optional(duration()),
})

/** Those keys as options of `serveHttp`. */
export function httpLimits({
  sessionIdle,
  keepAlive,
  stall,
  drain,
  ...rest
}: ObjectOf<ReturnType<typeof httpLimitKeys>>): HttpLimits {
  return {
    ...rest,
    ...(sessionIdle !== undefined && { sessionIdleMs: sessionIdle }),
    ...(keepAlive !== undefined && { keepAliveMs: keepAlive }),
    ...(stall !== undefined && { stallMs: stall }),
    ...(drain !== undefined && { drainMs: drain }),
  }
}
