import type { ServerResponse } from 'node:http'
import type { Library } from '../../library/index.ts'
import type { FetchOptions, NodeHandler, NodeRequest } from '../../transports/http/index.ts'
import { createNodeHandler } from '../../transports/http/index.ts'

/** The MCP endpoint as a handler of Express, Connect, and what is like them. */
export interface ExpressHandler extends Omit<NodeHandler, 'handle'> {
  /** Answers one request: `app.all('/mcp', mcp.handle)`. A body that `express.json()` has parsed is taken as it is. */
  readonly handle: (request: NodeRequest, response: ServerResponse, next?: (error?: unknown) => void) => void
}

/**
 * Serves a Library from an Express application. Takes ownership of the Library: close the handler when the application ends.
 *
 * @param options as of `createFetchHandler`; hosts other than this machine want `allowedHosts`
 */
export function createExpressHandler(library: Library, options: FetchOptions = {}): ExpressHandler {
  const inner = createNodeHandler(library, options)
  return {
    handle: (request, response) => void inner.handle(request, response),
    get sessions() {
      return inner.sessions
    },
    start: () => inner.start(),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner.close(),
  }
}
