import { ShelfError } from '../errors.ts'
import type { Notice } from '../library/index.ts'
import type { CacheHint, UncheckedObject } from '../protocol/index.ts'
import { isObject, UNCACHED } from '../protocol/index.ts'
import type { CachedResults } from './cached-results.ts'
import { checkTimes } from './check-times.ts'
import type { InputHandler } from './input.ts'
import type { Link } from './link.ts'
import type { SessionRequest } from './session.ts'
import type { ServerFacts } from './server-facts.ts'
import type { AskOptions } from './options.ts'

/** What the operations of a client have in common. */
export interface Asking {
  readonly link: Link
  readonly results: CachedResults
  readonly timeoutMs: number
  readonly onInput: InputHandler | undefined
  notice(notice: Notice): void
}

/** One request, and what the server said of itself. Without `params` there are none. */
export async function ask(
  { link, timeoutMs }: Asking,
  request: Omit<SessionRequest, 'timeoutMs' | 'signal' | 'onProgress'>,
  options: AskOptions,
): Promise<UncheckedObject> {
  const { signal, onProgress } = options
  checkTimes({ timeoutMs: options.timeoutMs })
  return link.request({ ...request, signal, timeoutMs: options.timeoutMs ?? timeoutMs, onProgress })
}

export async function factsOf({ link }: Asking, signal: AbortSignal | undefined): Promise<ServerFacts> {
  return (await link.session(signal)).facts
}

/**
 * The result of a complete answer, or the error that it is none: a server says so by `resultType`, which legacy ones do
 * not know (basic/index, Results).
 */
export function completeResult(result: UncheckedObject, method: string): UncheckedObject {
  const type = result['resultType']
  if (type === undefined || type === 'complete') return result
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : typeof type
  throw new ShelfError(
    'invalid-answer',
    `The server answered ${method} with a result of type ${shown}, which this client does not know`,
    { method },
  )
}

/** What a server gives is fresh no longer than this, whatever it says. */
const LONGEST_TTL_MS = 24 * 60 * 60 * 1_000

/** How a result may be kept: what is not said, or said wrong, is not at all (server/utilities/caching). */
export function hintOf({ ttlMs, cacheScope }: UncheckedObject): CacheHint {
  if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return UNCACHED
  return { ttlMs: Math.min(LONGEST_TTL_MS, Math.floor(ttlMs)), cacheScope: cacheScope === 'public' ? 'public' : 'private' }
}

export function metaOf(result: UncheckedObject): UncheckedObject {
  return isObject(result['_meta']) ? result['_meta'] : {}
}

/** Notices that one of our own servers sends with a list. */
export function noticesOf(result: UncheckedObject): readonly Notice[] {
  const told = metaOf(result)['dev.shelfmark/notices']
  if (!Array.isArray(told)) return []
  return (told as unknown[]).slice(0, 20).flatMap((one) => {
    if (!isObject(one) || typeof one['message'] !== 'string') return []
    const { provider } = one
    return [
      {
        level: one['level'] === 'info' ? ('info' as const) : ('warning' as const),
        message: one['message'].slice(0, 500),
        ...(typeof provider === 'string' && { provider: provider.slice(0, 100) }),
      },
    ]
  })
}
