import { ShelfError } from '../../../errors.ts'
import { isObject } from '../../../protocol/index.ts'
import { watchBody, wholeBody } from '../body-limit.ts'
import { networkFailure } from '../http-failure.ts'

/** As the global `fetch`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Of a document of an authorization server. */
const MAX_BYTES = 256 * 1024
const MAX_MS = 5_000

/**
 * The JSON object at a URL. A redirect is not followed: it would lead to where nobody configured.
 *
 * @throws ShelfError `unavailable`, `too-large`
 */
export async function fetchJson(url: URL, fetch: Fetch): Promise<{ readonly [name: string]: unknown }> {
  const signal = AbortSignal.timeout(MAX_MS)
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
    if (response.status !== 200) {
      response.body?.cancel().catch(() => undefined)
      throw new ShelfError('unavailable', `${url.href} answered ${response.status}, where 200 is wanted`, {})
    }
    const value = parse(await textOf(response, signal))
    if (value !== undefined) return value
  } catch (error) {
    if (signal.aborted)
      throw new ShelfError('unavailable', `${url.href} gave no whole answer within ${MAX_MS} ms`, {}, { cause: error })
    throw error instanceof ShelfError ? error : networkFailure(error, url.href)
  }
  throw new ShelfError('unavailable', `${url.href} answered what is no JSON object`, {})
}

function textOf({ body }: Response, signal: AbortSignal): Promise<string> {
  if (body === null) return Promise.resolve('')
  const watch = {
    signal,
    check: wholeBody(MAX_BYTES),
    onEnd: () => undefined,
    explain: (error: unknown) => error,
  }
  const own = watchBody(body as ReadableStream<Uint8Array>, watch)
  return new Response(own as ConstructorParameters<typeof Response>[0]).text()
}

function parse(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
