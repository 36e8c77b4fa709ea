import type { Library } from '../../library/index.ts'
import { adviseOnStderr, processDefaults } from '../../runtime/index.ts'
import { openEngine } from '../../server/index.ts'
import { HttpHandler } from './handler.ts'
import type { EndpointLimits, EndpointOptions } from './options.ts'
import { Sessions } from './sessions.ts'

/** What answers the requests of one server, in whichever web server they come. */
export interface Endpoint {
  readonly handler: HttpHandler
  readonly sessions: Sessions
  /** Ends listen streams with their results. Sessions and the Library stay open. */
  endListening(): Promise<void>
}

/** Starts a Library and answers for it. Who opens it disposes the Library, also when this rejects. */
export async function openEndpoint(library: Library, options: EndpointOptions, limits: EndpointLimits): Promise<Endpoint> {
  const settings = { ...processDefaults(), ...options }
  const engine = await openEngine(library, settings)
  adviseOnStderr(library.advice)
  const sessions = new Sessions(settings.clock, { idleMs: limits.sessionIdleMs, limit: limits.maxSessions })
  return { handler: new HttpHandler(engine, sessions), sessions, endListening: () => engine.close() }
}
