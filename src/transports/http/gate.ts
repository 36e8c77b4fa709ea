import { ShelfError } from '../../errors.ts'

/** Names under which a loopback server may be addressed. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** An address as URLs and `Host` have it: that of IPv6 in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Exact `Host` and `Origin` (basic/transports/streamable-http, Security): a page that was rebound to this
 * address by DNS still names its own host, and is refused.
 */
export class Gate {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  /** @param host where the server listens, which is one of its names */
  constructor(port: number, host: string, options: { readonly hosts: readonly string[]; readonly origins: readonly string[] }) {
    const hosts = [...LOOPBACK, hostInUrl(host)]
    // Clients leave out the port that HTTP has anyway.
    const names = hosts.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
    this.#hosts = new Set([...names, ...options.hosts])
    this.#origins = new Set([...names.map((name) => `http://${name}`), ...options.origins])
  }

  /** Why a request must be refused with 403, if it must. */
  refusal(host: string | undefined, origin: string | undefined): ShelfError | undefined {
    if (host === undefined || !this.#hosts.has(host.toLowerCase())) {
      return new ShelfError('invalid-request', 'This Host is not served here', {})
    }
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase())) {
      return new ShelfError('invalid-request', 'This Origin is not allowed here', {})
    }
    return undefined
  }
}
