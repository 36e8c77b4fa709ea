import type { Library } from '../../library/index.ts'
import type { FetchHandler, FetchOptions } from '../../transports/http/index.ts'
import { createFetchHandler } from '../../transports/http/index.ts'

/** The MCP endpoint as a handler of Hono. */
export interface HonoHandler extends Omit<FetchHandler, 'fetch'> {
  /** Answers one request: `app.all('/mcp', mcp.handle)`. */
  readonly handle: (context: { readonly req: { readonly raw: Request } }) => Promise<Response>
}

/**
 * Serves a Library from a Hono application. Takes ownership of the Library: close the handler when the application ends.
 *
 * @param options as of `createFetchHandler`; hosts other than this machine want `allowedHosts`
 */
export function createHonoHandler(library: Library, options: FetchOptions = {}): HonoHandler {
  const inner = createFetchHandler(library, options)
  return {
    handle: ({ req }) => inner.fetch(req.raw),
    get sessions() {
      return inner.sessions
    },
    start: () => inner.start(),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner.close(),
  }
}
