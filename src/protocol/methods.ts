import type { Era } from './revisions.ts'

/** One method or notification: everything that tables elsewhere are derived from. */
export interface MethodDescriptor {
  readonly method: string
  readonly kind: 'request' | 'notification'
  /** Who sends it. */
  readonly from: 'client' | 'server'
  readonly eras: readonly Era[]
  /** The member of `params` that the `Mcp-Name` header repeats (basic/transports/streamable-http). */
  readonly nameField?: 'uri' | 'name'
  /** Complete results carry `ttlMs` and `cacheScope` in the modern era (server/utilities/caching). */
  readonly cacheable?: true
  /** May answer with an `InputRequiredResult` (basic/patterns/mrtr). */
  readonly asksInput?: true
}

const BOTH: readonly Era[] = ['legacy', 'modern']
const LEGACY: readonly Era[] = ['legacy']
const MODERN: readonly Era[] = ['modern']

function request(method: string, eras: readonly Era[], more: Partial<MethodDescriptor> = {}): MethodDescriptor {
  return { method, kind: 'request', from: 'client', eras, ...more }
}

function notification(method: string, from: 'client' | 'server', eras: readonly Era[]): MethodDescriptor {
  return { method, kind: 'notification', from, eras }
}

export const INITIALIZE = request('initialize', LEGACY)
export const PING = request('ping', LEGACY)
export const SET_LEVEL = request('logging/setLevel', LEGACY)
export const DISCOVER = request('server/discover', MODERN, { cacheable: true })
export const LISTEN = request('subscriptions/listen', MODERN)
export const COMPLETE = request('completion/complete', BOTH)
export const RESOURCES_LIST = request('resources/list', BOTH, { cacheable: true })
export const TEMPLATES_LIST = request('resources/templates/list', BOTH, { cacheable: true })
export const RESOURCES_READ = request('resources/read', BOTH, { nameField: 'uri', cacheable: true, asksInput: true })
export const RESOURCES_SUBSCRIBE = request('resources/subscribe', LEGACY)
export const RESOURCES_UNSUBSCRIBE = request('resources/unsubscribe', LEGACY)
export const RESOURCES_STAT = request('dev.shelfmark/stat', BOTH, { cacheable: true })
export const DIRECTORY_READ = request('resources/directory/read', BOTH, { cacheable: true })
export const SKILLS_LIST = request('skills/list', BOTH, { cacheable: true })
export const SKILLS_GET = request('skills/get', BOTH, { cacheable: true })
export const TOOLS_LIST = request('tools/list', BOTH, { cacheable: true })
export const TOOLS_CALL = request('tools/call', BOTH, { nameField: 'name', asksInput: true })

export const INITIALIZED = notification('notifications/initialized', 'client', LEGACY)
export const CANCELLED = notification('notifications/cancelled', 'client', BOTH)
export const PROGRESS = notification('notifications/progress', 'server', BOTH)
export const MESSAGE = notification('notifications/message', 'server', BOTH)
export const ACKNOWLEDGED = notification('notifications/subscriptions/acknowledged', 'server', MODERN)
export const RESOURCE_UPDATED = notification('notifications/resources/updated', 'server', BOTH)
export const RESOURCES_CHANGED = notification('notifications/resources/list_changed', 'server', BOTH)

export const TOOLS_CHANGED = notification('notifications/tools/list_changed', 'server', BOTH)

/** Severity of a log message, RFC 5424, least first (server/utilities/logging). */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** True for a level of the protocol. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.includes(value as LogLevel)
}
