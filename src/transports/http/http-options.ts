import type { EndpointOptions } from './options.ts'
import type { Certificate } from './tls.ts'

export interface HttpOptions extends EndpointOptions {
  /**
   * Default 127.0.0.1. An address that others can reach wants `authenticate`, and `tls` or `behindProxy`: everything would
   * be open to whoever comes, or to whoever listens on the way.
   */
  readonly host?: string
  /**
   * A certificate and its key, as PEM; with them the endpoint is https, TLS 1.2 or later. A function is asked again every
   * minute, so that a certificate may be renewed while the server runs.
   */
  readonly tls?: Certificate | (() => Certificate)
  /**
   * Says that TLS ends at a proxy before this server, which alone can reach it. All that comes is from its address, so it
   * has to bound how often tokens are guessed.
   */
  readonly behindProxy?: boolean
  /** Default 7467; 0 takes any free one. */
  readonly port?: number
  /**
   * What answers may hold in memory until their clients have read them, in UTF-16 units and bytes. Beyond it further requests
   * wait, and those whose clients have read nothing for two seconds are cut off. Default 128 MiB, or a quarter of the heap
   * that this process may have where that is less.
   */
  readonly maxUnread?: number
  /** Default `/mcp`. */
  readonly path?: string
}

/** Who may come. */
export type Admission = Pick<HttpOptions, 'authenticate' | 'allowedHosts' | 'allowedOrigins' | 'requiredScopes' | 'resource'>
