import { ShelfError } from '../../errors.ts'
import type { Refusal } from './refusal.ts'

/** Names under which a loopback server may be addressed. */
export const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** An address as URLs and `Host` have it: that of IPv6 in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The values of `Host` for this machine and a port, with that of a server which has an address of its own among them. */
export function hostsAt(port: number, host: string, scheme: 'http' | 'https' = 'http'): readonly string[] {
  // Clients leave out the port that the scheme has anyway.
  const usual = scheme === 'http' ? 80 : 443
  return [...LOOPBACK, hostInUrl(host)].flatMap((name) => (port === usual ? [name, `${name}:${port}`] : [`${name}:${port}`]))
}

/** What an author adds to the names that a server has anyway. */
export interface Allowed {
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
}

const HOST = /^[^\s/\\@?#*,]+$/
const ORIGIN = /^(?:null|[a-z][a-z\d+.-]*:\/\/[^\s/\\@?#*,]+)$/i

/** @throws ShelfError `invalid-option` for a value that no request can have, such as one with a path or a wildcard */
export function allowed({ allowedHosts = [], allowedOrigins = [] }: Allowed): Record<'hosts' | 'origins', readonly string[]> {
  refuseInexact('allowedHosts', allowedHosts, HOST, 'app.example:8443')
  refuseInexact('allowedOrigins', allowedOrigins, ORIGIN, 'https://app.example:8443')
  return { hosts: allowedHosts, origins: allowedOrigins }
}

function refuseInexact(option: string, values: readonly string[], form: RegExp, example: string): void {
  const wrong = values.find((value) => !form.test(value))
  if (wrong === undefined) return
  const message = `${option} takes exact values such as ${example}, got ${JSON.stringify(wrong)}`
  throw new ShelfError('invalid-option', message, { option })
}

/**
 * Exact `Host` and `Origin` (basic/transports/streamable-http, Security): a page that was rebound to this
 * address by DNS still names its own host, and is refused.
 */
export class Gate {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  constructor(hosts: readonly string[], origins: readonly string[]) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()))
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()))
  }

  /** Why a request must be refused, if it must. */
  refusal(host: string | undefined, origin: string | undefined): Refusal | undefined {
    if (host === undefined || !this.#hosts.has(host.toLowerCase())) return forbidden('Host', host, 'allowedHosts')
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase())) return forbidden('Origin', origin, 'allowedOrigins')
    return undefined
  }
}

function forbidden(header: string, value: string | undefined, option: string): Refusal {
  const said = value === undefined ? `A request without ${header}` : `${header} ${JSON.stringify(value.slice(0, 200))}`
  const message = `${said} is not served here: to allow it, list it in ${option}`
  return { status: 403, error: new ShelfError('invalid-request', message, {}) }
}
