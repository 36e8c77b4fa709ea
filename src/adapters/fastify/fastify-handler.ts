import type { ServerResponse } from 'node:http'
import type { Library } from '../../library/index.ts'
import type { FetchOptions, NodeHandler, NodeRequest } from '../../transports/http/index.ts'
import { createNodeHandler, metadataPath } from '../../transports/http/index.ts'

/** What is used of a Fastify instance. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void
  // oxlint-disable-next-line typescript/no-explicit-any -- Fastify's own types name its request and payload
  addContentTypeParser(type: string, parser: (request: any, payload: any, done: (error: null) => void) => void): unknown
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  all(path: string, handler: (request: any, reply: any) => void): unknown
  addHook(name: 'preClose', hook: () => Promise<void>): unknown
}

interface FastifyReplyLike {
  readonly raw: ServerResponse
  getHeaders(): { readonly [name: string]: number | string | readonly string[] | undefined }
  hijack(): void
}

/** The MCP endpoint as a plugin of Fastify. */
export interface FastifyHandler extends Omit<NodeHandler, 'handle'> {
  /** `app.register(mcp.plugin)`: closed when the application is. With `resource` it takes no prefix, but all of the `path`. */
  readonly plugin: (app: FastifyLike) => Promise<void>
}

/**
 * Serves a Library from a Fastify application. Takes ownership of the Library.
 *
 * @param options as of `createFetchHandler`; `path` is `/mcp` by default, and hosts other than this machine want `allowedHosts`
 */
export function createFastifyHandler(library: Library, options: FetchOptions = {}): FastifyHandler {
  const { path = '/mcp', ...rest } = options
  const inner = createNodeHandler(library, rest)
  const answer = (request: { readonly raw: NodeRequest }, reply: FastifyReplyLike): void => {
    reply.hijack()
    // What other plugins have set, as those for CORS do, would go with the reply.
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    void inner.handle(request.raw, reply.raw)
  }
  return {
    plugin: async (app) => {
      // The body is read, and limited, behind this. Other parts of the application keep their parsers.
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, _payload, done) => done(null))
      app.all(path, answer)
      // Where each 401 says that clients find whose tokens are taken.
      if (options.resource !== undefined) app.all(metadataPath(new URL(options.resource.url).pathname), answer)
      // Listen streams would keep the application open for ever.
      app.addHook('preClose', () => inner.close())
    },
    get sessions() {
      return inner.sessions
    },
    start: () => inner.start(),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner.close(),
  }
}
